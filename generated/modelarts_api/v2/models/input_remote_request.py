# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.dataset_request import DatasetRequest
    from ..models.obs_location_request import ObsLocationRequest


@attrs.define(kw_only=True, repr=False)
class InputRemoteRequest(Model):
    """Source of an input channel: a dataset or a folder, one of the two."""

    dataset: DatasetRequest | Unset = UNSET
    """A version of a managed dataset."""
    obs: ObsLocationRequest | Unset = UNSET
    """A folder in object storage."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("dataset", "dataset"),
        ("obs", "obs"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("dataset", UNSET)
        self.dataset = models.DatasetRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("obs", UNSET)
        self.obs = models.ObsLocationRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

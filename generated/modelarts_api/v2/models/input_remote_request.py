# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class InputRemoteRequest(Model):
    """Source of an input channel: a dataset or a folder, one of the two."""

    dataset: _models.DatasetRequest | Unset = UNSET
    """A version of a managed dataset."""
    obs: _models.ObsLocationRequest | Unset = UNSET
    """A folder in object storage."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("dataset", UNSET)
        self.dataset = _models.DatasetRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("obs", UNSET)
        self.obs = _models.ObsLocationRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> InputRemoteRequestDict: ...


class InputRemoteRequestDict(TypedDict, total=False):
    """`InputRemoteRequest` as a dict."""

    dataset: _models.DatasetRequestDict
    obs: _models.ObsLocationRequestDict

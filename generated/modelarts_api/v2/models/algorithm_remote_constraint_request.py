# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.dataset_attribute_request import DatasetAttributeRequest


@attrs.define(kw_only=True, repr=False)
class AlgorithmRemoteConstraintRequest(Model):
    """A kind of data that an input channel accepts. Jobs call the list of them `remote_constraint`."""

    data_type: str | Unset = UNSET
    """Where the data is kept: in object storage or as a dataset."""
    attributes: list[DatasetAttributeRequest] | Unset = UNSET
    """Properties that a dataset has to have."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("data_type", "data_type"),
        ("attributes", "attributes"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.data_type = take("data_type", UNSET)
        value = take("attributes", UNSET)
        self.attributes = (
            [models.DatasetAttributeRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.additional_properties = rest
        return self

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class AlgorithmRemoteConstraintRequest(Model):
    """A kind of data that an input channel accepts. Jobs call the list of them `remote_constraint`."""

    data_type: str | Unset = UNSET
    """Where the data is kept: in object storage or as a dataset."""
    attributes: list[_models.DatasetAttributeRequest] | Unset = UNSET
    """Properties that a dataset has to have."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.data_type = take("data_type", UNSET)
        self.attributes = take("attributes", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> AlgorithmRemoteConstraintRequestDict: ...


class AlgorithmRemoteConstraintRequestDict(TypedDict, total=False):
    """`AlgorithmRemoteConstraintRequest` as a dict."""

    data_type: str
    attributes: list[_models.DatasetAttributeRequest]

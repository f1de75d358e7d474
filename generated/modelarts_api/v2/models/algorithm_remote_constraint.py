# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class AlgorithmRemoteConstraint(ResponseModel):
    """A kind of data that an input channel accepts. Jobs call the list of them `remote_constraint`."""

    data_type: str | None = None
    """Where the data is kept: in object storage or as a dataset."""
    attributes: list[_models.DatasetAttribute] = attrs.field(factory=list)
    """Properties that a dataset has to have."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.data_type = take("data_type", None)
        value = take("attributes", None)
        self.attributes = [] if value is None else value
        self.additional_properties = rest
        self._received = src_dict
        return self

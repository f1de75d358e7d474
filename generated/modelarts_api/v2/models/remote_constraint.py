# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class RemoteConstraint(ResponseModel):
    """A kind of data that an input channel accepts."""

    data_type: str | None = None
    """Where the data is kept: in object storage or as a dataset."""
    attributes: str | None = None
    """Property of a dataset that is restricted.
    Known values: data_format, data_segmentation, dataset_type.
    """
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.data_type = take("data_type", None)
        self.attributes = take("attributes", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class Gpu(ResponseModel):
    """Graphics processors of a node."""

    unit_num: int = attrs.field(default=None)
    """Number of GPU cards in a node."""
    memory: str = attrs.field(default=None)
    """Memory of one card with its unit, such as `32GB`."""
    product_name: str | None = None
    """Model of the GPU card."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.unit_num = take("unit_num", None)
        self.memory = take("memory", None)
        self.product_name = take("product_name", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

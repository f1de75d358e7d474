# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class TagValues(ResponseModel):
    """A key of labels, with all values that it has in the project."""

    key: str | None = None
    """Key of the labels."""
    values: list[str] = attrs.field(factory=list)
    """Different values of the key."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.key = take("key", None)
        value = take("values", None)
        self.values = [] if value is None else value
        self.additional_properties = rest
        self._received = src_dict
        return self

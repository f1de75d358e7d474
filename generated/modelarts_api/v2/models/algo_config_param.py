# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class AlgoConfigParam(ResponseModel):
    """One setting of a search algorithm."""

    key: str = attrs.field(default=None)
    """Name of the setting, such as `num_samples`."""
    value: str = attrs.field(default=None)
    """Value of the setting, written as text."""
    type_: str | None = None
    """Type that the text stands for, such as `Float`."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    _names: ClassVar[Mapping[str, str]] = {
        "type_": "type",
    }

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.key = take("key", None)
        self.value = take("value", None)
        self.type_ = take("type", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

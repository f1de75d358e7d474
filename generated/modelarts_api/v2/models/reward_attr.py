# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class RewardAttr(ResponseModel):
    """A metric by which trials are compared."""

    name: str | None = None
    """Name of the metric that the search optimises."""
    mode: str | None = None
    """Whether a larger (`max`) or a smaller (`min`) value is better.
    Known values: max, min.
    """
    regex: str | None = None
    """Regular expression that finds the metric's value in the log."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.name = take("name", None)
        self.mode = take("mode", None)
        self.regex = take("regex", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class LogPreview(ResponseModel):
    """The newest part of a task's log."""

    content: str = attrs.field(default=None)
    """Text of the log. A log of at most 5 MB comes whole, of a longer one only the end."""
    current_size: int = attrs.field(default=None)
    """Bytes of the log that this response carries, 5 MB at most."""
    full_size: int = attrs.field(default=None)
    """Bytes of the whole log. The difference to `current_size` is what was left out."""
    context: str | None = None
    """The name that `content` had before March 2022."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.content = take("content", None)
        self.current_size = take("current_size", None)
        self.full_size = take("full_size", None)
        self.context = take("context", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

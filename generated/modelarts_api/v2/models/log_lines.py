# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class LogLines(ResponseModel):
    """A piece of a task's log, and the cursors to read on from it."""

    content: str | None = attrs.field(default=None)
    """Text of the lines."""
    start_line: str | None = None
    """Cursor of the first line."""
    end_line: str | None = None
    """Cursor of the last line. Send it as `base_line` to read on."""
    lines: int | None = None
    """Number of lines in `content`."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.content = take("content", None)
        self.start_line = take("start_line", None)
        self.end_line = take("end_line", None)
        self.lines = take("lines", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

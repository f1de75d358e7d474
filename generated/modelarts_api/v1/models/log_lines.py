# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class LogLines(ResponseModel):
    """A piece of a log."""

    is_success: bool = attrs.field(default=None)
    """Whether the call succeeded. False marks an error response, whatever its HTTP status."""
    content: str = attrs.field(default=None)
    """The lines. Every record ends with an empty line."""
    lines: int = attrs.field(default=None)
    """Number of log records in `content`."""
    start_line: str | int = attrs.field(default=None)
    """Cursor of the first record: 19 digits, nanoseconds by their size. Send it as `base_line`."""
    end_line: str | int = attrs.field(default=None)
    """Cursor of the last record. Send it as `base_line` to read on."""
    error_code: str | None = None
    """Error code; absent from a successful response."""
    error_message: str | None = None
    """Reason of the error in English; absent from a successful response."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.is_success = take("is_success", None)
        self.content = take("content", None)
        self.lines = take("lines", None)
        self.start_line = take("start_line", None)
        self.end_line = take("end_line", None)
        self.error_code = take("error_code", None)
        self.error_message = take("error_message", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

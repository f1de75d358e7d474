# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class LogLines(Model):
    """A piece of a log."""

    is_success: bool | None | Unset = UNSET
    """Whether the call was carried out. False means that the answer is a refusal, whatever its HTTP status."""
    content: str | None | Unset = UNSET
    """The lines. Every record ends with an empty line."""
    lines: int | str | None | Unset = UNSET
    """Records in the piece."""
    start_line: int | str | None | Unset = UNSET
    """Cursor of the first record: 19 digits, nanoseconds by their size. Send it as `base_line`."""
    end_line: int | str | None | Unset = UNSET
    """Cursor of the last record. Send it as `base_line` to read on."""
    error_code: str | None | Unset = UNSET
    """Code of the refusal; left out of a success."""
    error_message: str | None | Unset = UNSET
    """Reason of the refusal, in English; left out of a success."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("is_success", "is_success"),
        ("content", "content"),
        ("lines", "lines"),
        ("start_line", "start_line"),
        ("end_line", "end_line"),
        ("error_code", "error_code"),
        ("error_message", "error_message"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.is_success = take("is_success", UNSET)
        self.content = take("content", UNSET)
        self.lines = take("lines", UNSET)
        self.start_line = take("start_line", UNSET)
        self.end_line = take("end_line", UNSET)
        self.error_code = take("error_code", UNSET)
        self.error_message = take("error_message", UNSET)
        self.additional_properties = rest
        return self

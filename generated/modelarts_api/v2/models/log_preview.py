# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class LogPreview(Model):
    """The newest part of a task's log."""

    content: str | None | Unset = UNSET
    """Text of the log. A log of at most 5 MB comes whole, of a longer one only the end."""
    context: str | None | Unset = UNSET
    """The name that `content` had before March 2022."""
    current_size: int | None | Unset = UNSET
    """Bytes of the log that this answer carries, 5 MB at most."""
    full_size: int | None | Unset = UNSET
    """Bytes of the whole log. The difference to `current_size` is what was left out."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("content", "content"),
        ("context", "context"),
        ("current_size", "current_size"),
        ("full_size", "full_size"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.content = take("content", UNSET)
        self.context = take("context", UNSET)
        self.current_size = take("current_size", UNSET)
        self.full_size = take("full_size", UNSET)
        self.additional_properties = rest
        return self

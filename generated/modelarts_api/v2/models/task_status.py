# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class TaskStatus(Model):
    """How a task ended."""

    task: str | None | Unset = UNSET
    """Name of the task."""
    exit_code: int | None | Unset = UNSET
    """Exit status of its process; 137 is typical of lack of memory."""
    message: str | None | Unset = UNSET
    """What the platform says about it."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("task", "task"),
        ("exit_code", "exit_code"),
        ("message", "message"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.task = take("task", UNSET)
        self.exit_code = take("exit_code", UNSET)
        self.message = take("message", UNSET)
        self.additional_properties = rest
        return self

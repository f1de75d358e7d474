# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class Event(Model):
    """Something that happened to a job."""

    time: str | None | Unset = UNSET
    """When it happened, such as `2022-11-26T16:03:41+08:00`; several events may share a second."""
    level: str | None | Unset = UNSET
    """How much it matters.
    Known values: Info, Error, Warning.
    """
    message: str | None | Unset = UNSET
    """What happened, for people; the wording changes between releases. Messages about a task begin with its name in
    brackets.
    """
    source: str | None | Unset = UNSET
    """Who reports it; the spelling varies, `K8s` was seen beside `K8S`.
    Known values: K8S, Job, Task.
    """
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("time", "time"),
        ("level", "level"),
        ("message", "message"),
        ("source", "source"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.time = take("time", UNSET)
        self.level = take("level", UNSET)
        self.message = take("message", UNSET)
        self.source = take("source", UNSET)
        self.additional_properties = rest
        return self

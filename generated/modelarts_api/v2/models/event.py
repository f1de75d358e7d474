# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel
from modelarts_runtime.times import Instant


@attrs.define(kw_only=True, repr=False, eq=False)
class Event(ResponseModel):
    """Something that happened to a job."""

    time: str = attrs.field(default=None)
    """When it happened, such as `2022-11-26T16:03:41+08:00`; several events may share a second."""
    level: str = attrs.field(default=None)
    """Severity of the event.
    Known values: Info, Error, Warning.
    """
    message: str = attrs.field(default=None)
    """Text of the event for readers; the wording changes between releases. Messages about a task begin with its name
    in brackets.
    """
    source: str = attrs.field(default=None)
    """Who reports it. The spelling varies; both `K8s` and `K8S` were seen.
    Known values: K8S, K8s, Job, Task.
    """
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    occurred_at = Instant[datetime]("time", "RFC 3339")
    """`time` as a time with its zone."""

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.time = take("time", None)
        self.level = take("level", None)
        self.message = take("message", None)
        self.source = take("source", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

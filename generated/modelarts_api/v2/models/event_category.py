# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class EventCategory(ResponseModel):
    """A kind of event that can send a notification."""

    id: str | None = None
    """Id of the kind.
    Known values: JobStarted, JobCompleted, JobFailed, JobTerminated, JobRestarted, JobHanged, JobPreempted.
    """
    name: str | None = None
    """Name of the kind."""
    description: str | None = None
    """When such an event occurs."""
    notification: bool | None = None
    """Whether it can send a notification."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.id = take("id", None)
        self.name = take("name", None)
        self.description = take("description", None)
        self.notification = take("notification", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

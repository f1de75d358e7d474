# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class Notification(ResponseModel):
    """Messages that the service sends about a job."""

    topic_urn: str | None = None
    """Topic of the notification service that receives them."""
    events: list[str] = attrs.field(factory=list)
    """Turns of the job that cause a message.
    Known values: JobStarted, JobCompleted, JobFailed, JobTerminated, JobRestarted, JobHanged, JobPreempted.
    """
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.topic_urn = take("topic_urn", None)
        value = take("events", None)
        self.events = [] if value is None else value
        self.additional_properties = rest
        self._received = src_dict
        return self

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class Notification(Model):
    """Messages that the service sends about a job."""

    topic_urn: str | None | Unset = UNSET
    """Topic of the notification service that receives them."""
    events: list[str] | None | Unset = UNSET
    """Turns of the job that cause a message.
    Known values: JobStarted, JobCompleted, JobFailed, JobTerminated, JobRestarted, JobHanged, JobPreempted.
    """
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("topic_urn", "topic_urn"),
        ("events", "events"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.topic_urn = take("topic_urn", UNSET)
        self.events = take("events", UNSET)
        self.additional_properties = rest
        return self

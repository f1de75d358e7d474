# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel
from modelarts_runtime.times import Instant

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class EventList(ResponseModel):
    """One page of the events of a job."""

    total: int = attrs.field(default=None)
    """Events that meet the conditions, on all pages."""
    limit: int = attrs.field(default=None)
    """Events per page, as asked."""
    offset: int = attrs.field(default=None)
    """Events that were skipped, as asked."""
    events: list[_models.Event] = attrs.field(factory=list)
    """The events of this page."""
    order: str | None = None
    """Newest first (`desc`) or oldest first (`asc`).
    Known values: desc, asc.
    """
    start_time: str | None = None
    """Begin of the time that was searched, such as `2022-11-26T16:01:36+08:00`, not in milliseconds as asked."""
    end_time: str | None = None
    """End of the time that was searched, in the same form."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    started_at = Instant[datetime | None]("start_time", "RFC 3339")
    """`start_time` as a time with its zone."""
    ended_at = Instant[datetime | None]("end_time", "RFC 3339")
    """`end_time` as a time with its zone."""

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.total = take("total", None)
        self.limit = take("limit", None)
        self.offset = take("offset", None)
        value = take("events", None)
        self.events = (
            [_models.Event.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        self.order = take("order", None)
        self.start_time = take("start_time", None)
        self.end_time = take("end_time", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

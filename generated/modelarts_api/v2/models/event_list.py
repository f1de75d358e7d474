# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.event import Event


@attrs.define(kw_only=True, repr=False)
class EventList(Model):
    """One page of the events of a job."""

    events: list[Event]
    """The events of this page."""
    total: int | str | None | Unset = UNSET
    """Events that meet the conditions, on all pages."""
    limit: int | str | None | Unset = UNSET
    """Events per page, as asked."""
    offset: int | str | None | Unset = UNSET
    """Events that were skipped, as asked."""
    order: str | None | Unset = UNSET
    """Newest first (`desc`) or oldest first (`asc`).
    Known values: desc, asc.
    """
    start_time: str | None | Unset = UNSET
    """Begin of the time that was searched, such as `2022-11-26T16:01:36+08:00`, not in milliseconds as asked."""
    end_time: str | None | Unset = UNSET
    """End of the time that was searched, in the same form."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("events", "events"),
        ("total", "total"),
        ("limit", "limit"),
        ("offset", "offset"),
        ("order", "order"),
        ("start_time", "start_time"),
        ("end_time", "end_time"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("events", UNSET)
        self.events = (
            [models.Event.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.total = take("total", UNSET)
        self.limit = take("limit", UNSET)
        self.offset = take("offset", UNSET)
        self.order = take("order", UNSET)
        self.start_time = take("start_time", UNSET)
        self.end_time = take("end_time", UNSET)
        self.additional_properties = rest
        return self

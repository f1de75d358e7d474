# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET

if TYPE_CHECKING:
    from ..models.schedule_request_time_unit import ScheduleRequestTimeUnit
    from ..models.schedule_request_type import ScheduleRequestType


@attrs.define(kw_only=True, repr=False)
class ScheduleRequest(Model):
    """When a job stops by itself."""

    type_: ScheduleRequestType
    """What happens."""
    time_unit: ScheduleRequestTimeUnit
    """Unit of `duration`."""
    duration: int
    """Time from the start until then."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("type_", "type"),
        ("time_unit", "time_unit"),
        ("duration", "duration"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.type_ = take("type", UNSET)
        self.time_unit = take("time_unit", UNSET)
        self.duration = take("duration", UNSET)
        self.additional_properties = rest
        return self

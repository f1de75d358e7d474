# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Required, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class ScheduleRequest(Model):
    """When a job stops by itself."""

    type_: _models.ScheduleRequestType
    """Action at the time given; `stop` ends the job."""
    time_unit: _models.ScheduleRequestTimeUnit
    """Unit of `duration`; only hours are possible."""
    duration: int
    """Time from the start until then."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    _names: ClassVar[Mapping[str, str]] = {
        "type_": "type",
    }

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.type_ = take("type", UNSET)
        self.time_unit = take("time_unit", UNSET)
        self.duration = take("duration", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> ScheduleRequestDict: ...


class ScheduleRequestDict(TypedDict, total=False):
    """`ScheduleRequest` as a dict."""

    type: Required[_models.ScheduleRequestType]
    time_unit: Required[_models.ScheduleRequestTimeUnit]
    duration: Required[int]

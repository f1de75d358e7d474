# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset


@attrs.define(kw_only=True, repr=False, eq=False)
class ScheduleChangeRequest(Model):
    """What changes in how the scheduler treats a job."""

    priority: int | Unset = UNSET
    """Priority in the queue, 1 to 3."""
    preemptible: bool | Unset = UNSET
    """Whether a job of higher priority may preempt this one."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.priority = take("priority", UNSET)
        self.preemptible = take("preemptible", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> ScheduleChangeRequestDict: ...


class ScheduleChangeRequestDict(TypedDict, total=False):
    """`ScheduleChangeRequest` as a dict."""

    priority: int
    preemptible: bool

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class JobSpecChangeRequest(Model):
    """What changes in the specification of a job."""

    notification: _models.NotificationRequest | Unset = UNSET
    """Notifications about events of the job."""
    schedule_policy: _models.ScheduleChangeRequest | Unset = UNSET
    """How the scheduler treats the job."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("notification", UNSET)
        self.notification = _models.NotificationRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("schedule_policy", UNSET)
        self.schedule_policy = _models.ScheduleChangeRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> JobSpecChangeRequestDict: ...


class JobSpecChangeRequestDict(TypedDict, total=False):
    """`JobSpecChangeRequest` as a dict."""

    notification: _models.NotificationRequestDict
    schedule_policy: _models.ScheduleChangeRequestDict

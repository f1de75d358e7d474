# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.auto_stop import AutoStop
    from ..models.job_resource import JobResource
    from ..models.log_export_path import LogExportPath
    from ..models.notification import Notification
    from ..models.schedule_policy import SchedulePolicy
    from ..models.volume import Volume


@attrs.define(kw_only=True, repr=False)
class JobSpec(Model):
    """Machines, volumes, logs and limits of a job."""

    resource: JobResource | None | Unset = UNSET
    """Flavor or dedicated pool, and number of nodes."""
    volumes: list[Volume] | None | Unset = UNSET
    """File systems mounted into every task."""
    log_export_path: LogExportPath | None | Unset = UNSET
    """Where the log is kept for longer; an empty object where that was not asked."""
    auto_stop: AutoStop | None | Unset = UNSET
    """Longest time to run."""
    schedule_policy: SchedulePolicy | None | Unset = UNSET
    """Rank and place in a dedicated pool."""
    notification: Notification | None | Unset = UNSET
    """Messages about the job."""
    is_hosted_log: bool | None | Unset = UNSET
    """Whether the service keeps the log itself."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("resource", "resource"),
        ("volumes", "volumes"),
        ("log_export_path", "log_export_path"),
        ("auto_stop", "auto_stop"),
        ("schedule_policy", "schedule_policy"),
        ("notification", "notification"),
        ("is_hosted_log", "is_hosted_log"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("resource", UNSET)
        self.resource = models.JobResource.from_dict(value) if isinstance(value, dict) else value
        value = take("volumes", UNSET)
        self.volumes = (
            [models.Volume.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        value = take("log_export_path", UNSET)
        self.log_export_path = models.LogExportPath.from_dict(value) if isinstance(value, dict) else value
        value = take("auto_stop", UNSET)
        self.auto_stop = models.AutoStop.from_dict(value) if isinstance(value, dict) else value
        value = take("schedule_policy", UNSET)
        self.schedule_policy = models.SchedulePolicy.from_dict(value) if isinstance(value, dict) else value
        value = take("notification", UNSET)
        self.notification = models.Notification.from_dict(value) if isinstance(value, dict) else value
        self.is_hosted_log = take("is_hosted_log", UNSET)
        self.additional_properties = rest
        return self

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.auto_stop_request import AutoStopRequest
    from ..models.job_resource_request import JobResourceRequest
    from ..models.log_export_path_request import LogExportPathRequest
    from ..models.notification_request import NotificationRequest
    from ..models.schedule_policy_request import SchedulePolicyRequest
    from ..models.volume_request import VolumeRequest


@attrs.define(kw_only=True, repr=False)
class JobSpecRequest(Model):
    """Machines, volumes, logs and limits of a job."""

    resource: JobResourceRequest | Unset = UNSET
    """Flavor or dedicated pool, and number of nodes."""
    volumes: list[VolumeRequest] | Unset = UNSET
    """File systems mounted into every task."""
    log_export_path: LogExportPathRequest | Unset = UNSET
    """Where the log is kept for longer."""
    auto_stop: AutoStopRequest | Unset = UNSET
    """Longest time to run."""
    schedule_policy: SchedulePolicyRequest | Unset = UNSET
    """Rank and place in a dedicated pool."""
    notification: NotificationRequest | Unset = UNSET
    """Messages about the job."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("resource", "resource"),
        ("volumes", "volumes"),
        ("log_export_path", "log_export_path"),
        ("auto_stop", "auto_stop"),
        ("schedule_policy", "schedule_policy"),
        ("notification", "notification"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("resource", UNSET)
        self.resource = models.JobResourceRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("volumes", UNSET)
        self.volumes = (
            [models.VolumeRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        value = take("log_export_path", UNSET)
        self.log_export_path = models.LogExportPathRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("auto_stop", UNSET)
        self.auto_stop = models.AutoStopRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("schedule_policy", UNSET)
        self.schedule_policy = models.SchedulePolicyRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("notification", UNSET)
        self.notification = models.NotificationRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

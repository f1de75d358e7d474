# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class JobSpecRequest(Model):
    """Machines, volumes, logs and limits of a job."""

    resource: _models.JobResourceRequest | Unset = UNSET
    """Flavor or dedicated pool, and number of nodes."""
    volumes: Sequence[_models.VolumeRequest] | Unset = UNSET
    """File systems mounted into every task."""
    log_export_path: _models.LogExportPathRequest | Unset = UNSET
    """Where the log is kept for longer."""
    auto_stop: _models.AutoStopRequest | Unset = UNSET
    """Time after which the service stops the job."""
    schedule_policy: _models.SchedulePolicyRequest | Unset = UNSET
    """Rank and place in a dedicated pool."""
    notification: _models.NotificationRequest | Unset = UNSET
    """Notifications about events of the job."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("resource", UNSET)
        self.resource = _models.JobResourceRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("volumes", UNSET)
        self.volumes = (
            [_models.VolumeRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        value = take("log_export_path", UNSET)
        self.log_export_path = _models.LogExportPathRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("auto_stop", UNSET)
        self.auto_stop = _models.AutoStopRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("schedule_policy", UNSET)
        self.schedule_policy = _models.SchedulePolicyRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("notification", UNSET)
        self.notification = _models.NotificationRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> JobSpecRequestDict: ...


class JobSpecRequestDict(TypedDict, total=False):
    """`JobSpecRequest` as a dict."""

    resource: _models.JobResourceRequestDict
    volumes: Sequence[_models.VolumeRequestDict]
    log_export_path: _models.LogExportPathRequestDict
    auto_stop: _models.AutoStopRequestDict
    schedule_policy: _models.SchedulePolicyRequestDict
    notification: _models.NotificationRequestDict

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class JobSpec(ResponseModel):
    """Machines, volumes, logs and limits of a job."""

    resource: _models.JobResource = attrs.field(default=None)
    """Flavor or dedicated pool, and number of nodes."""
    volumes: list[_models.Volume] = attrs.field(factory=list)
    """File systems mounted into every task."""
    log_export_path: _models.LogExportPath | None = None
    """Where the log is kept for longer; an empty object where that was not asked."""
    auto_stop: _models.AutoStop | None = None
    """Time after which the service stops the job."""
    schedule_policy: _models.SchedulePolicy | None = None
    """Rank and place in a dedicated pool."""
    notification: _models.Notification | None = None
    """Notifications about events of the job."""
    is_hosted_log: bool | None = None
    """Whether the service keeps the log itself."""
    custom_metrics: list[_models.CustomMetric] = attrs.field(factory=list)
    """How the service collects metrics of the job itself."""
    output_model: _models.OutputModel | None = None
    """Where the model goes."""
    asset_model: _models.AssetModel | None = None
    """Asset that the model becomes."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("resource", None)
        self.resource = _models.JobResource.from_dict(value) if isinstance(value, dict) else value
        value = take("volumes", None)
        self.volumes = (
            [_models.Volume.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        value = take("log_export_path", None)
        self.log_export_path = _models.LogExportPath.from_dict(value) if isinstance(value, dict) else value
        value = take("auto_stop", None)
        self.auto_stop = _models.AutoStop.from_dict(value) if isinstance(value, dict) else value
        value = take("schedule_policy", None)
        self.schedule_policy = _models.SchedulePolicy.from_dict(value) if isinstance(value, dict) else value
        value = take("notification", None)
        self.notification = _models.Notification.from_dict(value) if isinstance(value, dict) else value
        self.is_hosted_log = take("is_hosted_log", None)
        value = take("custom_metrics", None)
        self.custom_metrics = (
            [_models.CustomMetric.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        value = take("output_model", None)
        self.output_model = _models.OutputModel.from_dict(value) if isinstance(value, dict) else value
        value = take("asset_model", None)
        self.asset_model = _models.AssetModel.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        self._received = src_dict
        return self

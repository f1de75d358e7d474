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
    retention: _models.RetentionRequest | Unset = UNSET
    """Whether the record of the job is removed after some time."""
    reserved_time: _models.ReservedTimeRequest | Unset = UNSET
    """How long the job is kept after its end."""
    log_export_config: _models.LogExportConfigRequest | Unset = UNSET
    """Form in which logs are exported."""
    custom_metrics: Sequence[_models.CustomMetricRequest] | Unset = UNSET
    """How the service collects metrics of the job itself."""
    output_model: _models.OutputModelRequest | Unset = UNSET
    """Where the model goes."""
    asset_model: _models.AssetModelRequest | Unset = UNSET
    """Asset that the model becomes."""
    asset_id: str | Unset = UNSET
    """Id of the asset that is fine-tuned."""
    runtime_type: str | Unset = UNSET
    """Kind of the job's environment, such as `debug`."""
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
        value = take("retention", UNSET)
        self.retention = _models.RetentionRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("reserved_time", UNSET)
        self.reserved_time = _models.ReservedTimeRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("log_export_config", UNSET)
        self.log_export_config = _models.LogExportConfigRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("custom_metrics", UNSET)
        self.custom_metrics = (
            [_models.CustomMetricRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        value = take("output_model", UNSET)
        self.output_model = _models.OutputModelRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("asset_model", UNSET)
        self.asset_model = _models.AssetModelRequest.from_dict(value) if isinstance(value, dict) else value
        self.asset_id = take("asset_id", UNSET)
        self.runtime_type = take("runtime_type", UNSET)
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
    retention: _models.RetentionRequestDict
    reserved_time: _models.ReservedTimeRequestDict
    log_export_config: _models.LogExportConfigRequestDict
    custom_metrics: Sequence[_models.CustomMetricRequestDict]
    output_model: _models.OutputModelRequestDict
    asset_model: _models.AssetModelRequestDict
    asset_id: str
    runtime_type: str

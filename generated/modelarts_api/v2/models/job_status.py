# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, ClassVar, Self

import attrs
from modelarts_runtime.model import ResponseModel
from modelarts_runtime.times import Instant, Span
from modelarts_runtime.views import JobStatusView

from ...phases import Phase
from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class JobStatus(JobStatusView, ResponseModel):
    """Phase of a job, its tasks, times and restarts."""

    phase: Phase = attrs.field(default=None)
    """Phase of the job. Creating, Pending, Running and Terminating are active; Completed, Failed, Terminated and
    Abnormal are final. Terminating becomes Terminated.
    Known values: Creating, Pending, Running, Failed, Completed, Terminating, Terminated, Abnormal.
    """
    secondary_phase: str = attrs.field(default=None)
    """More detailed phase for display; the service changes its values without notice, so programs should use `phase`.
    Known values: Creating, Queuing, Running, Failed, Completed, Terminating, Terminated, CreateFailed,
    TerminatedFailed, Unknown, Lost.
    """
    duration: int = attrs.field(default=None)
    """Running time in milliseconds, 0 before the start."""
    node_count_metrics: list[list[int]] = attrs.field(factory=list)
    """Running nodes over time; null in a fresh job."""
    tasks: list[str] = attrs.field(factory=list)
    """Names of the tasks, `worker-0` and up. They are the `task_id` of logs and metrics."""
    start_time: int = attrs.field(default=None)
    """When the job began to run, in milliseconds since 1970; 0 before."""
    task_statuses: list[_models.TaskStatus] = attrs.field(factory=list)
    """Exit code of each task, once it has ended."""
    running_records: list[_models.RunningRecord] = attrs.field(factory=list)
    """Runs of the job with what ended them; more than one after a restart."""
    retention_time: int | None = None
    """How long the job has been kept since its end; only with `reserved_time`."""
    task_ips: list[_models.TaskAddress] = attrs.field(factory=list)
    """Addresses of the tasks; only where a search named `host_ips`."""
    failure_analysis_result: _models.FailureAnalysisResult | None = None
    """What the platform found out about a failure."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    running_time = Span[timedelta]("duration", "ms")
    """`duration` as a duration."""
    started_at = Instant[datetime | None]("start_time", "ms")
    """`start_time` as a time with its zone."""

    _names: ClassVar[Mapping[str, str]] = {
        "failure_analysis_result": "failureAnalysisResult",
    }

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.phase = take("phase", None)
        self.secondary_phase = take("secondary_phase", None)
        self.duration = take("duration", None)
        value = take("node_count_metrics", None)
        self.node_count_metrics = [] if value is None else value
        value = take("tasks", None)
        self.tasks = [] if value is None else value
        self.start_time = take("start_time", None)
        value = take("task_statuses", None)
        self.task_statuses = (
            [_models.TaskStatus.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        value = take("running_records", None)
        self.running_records = (
            [_models.RunningRecord.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        self.retention_time = take("retention_time", None)
        value = take("task_ips", None)
        self.task_ips = (
            [_models.TaskAddress.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        value = take("failureAnalysisResult", None)
        self.failure_analysis_result = (
            _models.FailureAnalysisResult.from_dict(value) if isinstance(value, dict) else value
        )
        self.additional_properties = rest
        self._received = src_dict
        return self

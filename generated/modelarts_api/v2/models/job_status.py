# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.running_record import RunningRecord
    from ..models.task_status import TaskStatus


@attrs.define(kw_only=True, repr=False)
class JobStatus(Model):
    """How far a job is, and what happened to it."""

    phase: str
    """Stage of the job. Creating, Pending and Running lead on; Completed, Failed, Terminated and Abnormal are final;
    Terminating is on the way to Terminated.
    Known values: Creating, Pending, Running, Failed, Completed, Terminating, Terminated, Abnormal.
    """
    secondary_phase: str | None | Unset = UNSET
    """Finer stage, for people: the service changes its values without notice, so nothing should depend on them.
    Known values: Creating, Queuing, Running, Failed, Completed, Terminating, Terminated, CreateFailed,
    TerminatedFailed, Unknown, Lost.
    """
    duration: int | None | Unset = UNSET
    """Running time in milliseconds, 0 before the start."""
    node_count_metrics: list[list[int]] | None | Unset = UNSET
    """Running nodes over time; null in a fresh job."""
    tasks: list[str] | None | Unset = UNSET
    """Names of the tasks, `worker-0` and up. They are the `task_id` of logs and metrics."""
    start_time: int | None | Unset = UNSET
    """When the job began to run, in milliseconds since 1970; 0 before."""
    task_statuses: list[TaskStatus] | None | Unset = UNSET
    """How each task ended."""
    running_records: list[RunningRecord] | None | Unset = UNSET
    """Runs of the job with what ended them; more than one after a restart."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("phase", "phase"),
        ("secondary_phase", "secondary_phase"),
        ("duration", "duration"),
        ("node_count_metrics", "node_count_metrics"),
        ("tasks", "tasks"),
        ("start_time", "start_time"),
        ("task_statuses", "task_statuses"),
        ("running_records", "running_records"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.phase = take("phase", UNSET)
        self.secondary_phase = take("secondary_phase", UNSET)
        self.duration = take("duration", UNSET)
        self.node_count_metrics = take("node_count_metrics", UNSET)
        self.tasks = take("tasks", UNSET)
        self.start_time = take("start_time", UNSET)
        value = take("task_statuses", UNSET)
        self.task_statuses = (
            [models.TaskStatus.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        value = take("running_records", UNSET)
        self.running_records = (
            [models.RunningRecord.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.additional_properties = rest
        return self

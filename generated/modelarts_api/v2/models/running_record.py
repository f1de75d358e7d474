# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel
from modelarts_runtime.times import Instant

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class RunningRecord(ResponseModel):
    """One run of a job, from a start to the next end. Its times count seconds; all others of a job count milliseconds."""

    start_at: int = attrs.field(default=None)
    """Begin in seconds since 1970."""
    start_type: str = attrs.field(default=None)
    """Whether the run followed a scheduling (`init_or_rescheduled`) or only a restart of the process (`restarted`).
    Known values: init_or_rescheduled, restarted.
    """
    end_at: int | None = None
    """End in seconds since 1970."""
    end_reason: str | None = None
    """Reason why the run ended."""
    end_related_task: str | None = None
    """Task that caused the end."""
    end_recover: str | None = None
    """What the platform did about it, from restarting the process in place to scheduling the job anew on other nodes.
    Known values: npu_proc_restart, gpu_proc_restart, proc_restart, pod_reschedule, job_reschedule,
    job_reschedule_with_taint.
    """
    end_recover_before_downgrade: str | None = None
    """What the platform had meant to do before it fell back to `end_recover`. Same values."""
    xpu_start_at: int | None = None
    """When the accelerators began to work, in seconds since 1970."""
    recover_records: list[_models.RecoverRecord] = attrs.field(factory=list)
    """Attempts of the platform to recover from what ended the run."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    started_at = Instant[datetime]("start_at", "s")
    """`start_at` as a time with its zone."""
    ended_at = Instant[datetime | None]("end_at", "s")
    """`end_at` as a time with its zone."""
    xpu_started_at = Instant[datetime | None]("xpu_start_at", "s")
    """`xpu_start_at` as a time with its zone."""

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.start_at = take("start_at", None)
        self.start_type = take("start_type", None)
        self.end_at = take("end_at", None)
        self.end_reason = take("end_reason", None)
        self.end_related_task = take("end_related_task", None)
        self.end_recover = take("end_recover", None)
        self.end_recover_before_downgrade = take("end_recover_before_downgrade", None)
        self.xpu_start_at = take("xpu_start_at", None)
        value = take("recover_records", None)
        self.recover_records = (
            [_models.RecoverRecord.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        self.additional_properties = rest
        self._received = src_dict
        return self

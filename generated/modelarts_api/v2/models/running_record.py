# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class RunningRecord(Model):
    """One run of a job, from a start to the next end. Its times count seconds; all others of a job count milliseconds."""

    start_at: int | None | Unset = UNSET
    """Begin in seconds since 1970."""
    end_at: int | None | Unset = UNSET
    """End in seconds since 1970."""
    start_type: str | None | Unset = UNSET
    """Whether the run followed a scheduling (`init_or_rescheduled`) or only a restart of the process (`restarted`).
    Known values: init_or_rescheduled, restarted.
    """
    end_reason: str | None | Unset = UNSET
    """What ended the run."""
    end_related_task: str | None | Unset = UNSET
    """Task that caused the end."""
    end_recover: str | None | Unset = UNSET
    """What the platform did about it, from restarting the process in place to scheduling the job anew on other nodes.
    Known values: npu_proc_restart, gpu_proc_restart, proc_restart, pod_reschedule, job_reschedule,
    job_reschedule_with_taint.
    """
    end_recover_before_downgrade: str | None | Unset = UNSET
    """What the platform had meant to do before it fell back to `end_recover`. Same values."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("start_at", "start_at"),
        ("end_at", "end_at"),
        ("start_type", "start_type"),
        ("end_reason", "end_reason"),
        ("end_related_task", "end_related_task"),
        ("end_recover", "end_recover"),
        ("end_recover_before_downgrade", "end_recover_before_downgrade"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.start_at = take("start_at", UNSET)
        self.end_at = take("end_at", UNSET)
        self.start_type = take("start_type", UNSET)
        self.end_reason = take("end_reason", UNSET)
        self.end_related_task = take("end_related_task", UNSET)
        self.end_recover = take("end_recover", UNSET)
        self.end_recover_before_downgrade = take("end_recover_before_downgrade", UNSET)
        self.additional_properties = rest
        return self

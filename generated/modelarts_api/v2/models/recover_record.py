# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel
from modelarts_runtime.times import Instant


@attrs.define(kw_only=True, repr=False, eq=False)
class RecoverRecord(ResponseModel):
    """One attempt of the platform to recover from a fault."""

    recover_start_at: int | None = None
    """When the attempt began, which is when the fault occurred, in seconds since 1970."""
    recover_end_at: int | None = None
    """When the attempt ended, in seconds since 1970."""
    recover: str | None = None
    """What the platform did.
    Known values: npu_step_retry, npu_proc_restart, proc_restart, pod_reschedule, job_reschedule,
    job_reschedule_with_taint.
    """
    fault_scenario: str | None = None
    """What had gone wrong.
    Known values: chip_fault, node_fault, job_failed, job_hanged, job_subhealth, error_in_log.
    """
    reason: str | None = None
    """Reason of the fault."""
    related_task: str | None = None
    """Task that caused the fault."""
    recover_result: str | None = None
    """How the attempt ended.
    Known values: recovering, success, failed, downgrade, terminated, quotaExceeded.
    """
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    started_at = Instant[datetime | None]("recover_start_at", "s")
    """`recover_start_at` as a time with its zone."""
    ended_at = Instant[datetime | None]("recover_end_at", "s")
    """`recover_end_at` as a time with its zone."""

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.recover_start_at = take("recover_start_at", None)
        self.recover_end_at = take("recover_end_at", None)
        self.recover = take("recover", None)
        self.fault_scenario = take("fault_scenario", None)
        self.reason = take("reason", None)
        self.related_task = take("related_task", None)
        self.recover_result = take("recover_result", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

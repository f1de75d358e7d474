# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class TaskAddress(ResponseModel):
    """A task of a job and where it runs."""

    task: str | None = None
    """Name of the task, such as `worker-0`."""
    ip: str | None = None
    """Address of the task's container."""
    host_ip: str | None = None
    """Address of the node that the container runs on; dedicated pools only."""
    schedule_count: int | None = None
    """Scheduling of the job that the task belongs to, from 1."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.task = take("task", None)
        self.ip = take("ip", None)
        self.host_ip = take("host_ip", None)
        self.schedule_count = take("schedule_count", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

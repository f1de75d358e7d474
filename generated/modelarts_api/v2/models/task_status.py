# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class TaskStatus(ResponseModel):
    """Exit code and message of a task that has ended."""

    task: str | None = None
    """Name of the task, such as `worker-0`."""
    exit_code: int | None = None
    """Exit status of its process; 137 is typical of lack of memory."""
    message: str | None = None
    """What the platform says about it, such as the traceback of the script."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.task = take("task", None)
        self.exit_code = take("exit_code", None)
        self.message = take("message", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

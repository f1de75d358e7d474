# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class SchedulePolicy(ResponseModel):
    """How the scheduler treats a job in a dedicated pool."""

    required_affinity: _models.RequiredAffinity | None = None
    """How close the nodes of the job have to be to each other."""
    priority: int | None = None
    """Priority in the queue, 1 to 3; higher priorities start first."""
    preemptible: bool | None = None
    """Whether a job of higher priority may preempt this one."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("required_affinity", None)
        self.required_affinity = _models.RequiredAffinity.from_dict(value) if isinstance(value, dict) else value
        self.priority = take("priority", None)
        self.preemptible = take("preemptible", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

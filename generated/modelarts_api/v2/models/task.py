# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class Task(ResponseModel):
    """One kind of task in a mixed job."""

    role: str | None = None
    """Part that the task plays."""
    algorithm: _models.TaskAlgorithm | None = None
    """Code, image and settings that the task runs."""
    task_resource: _models.Flavor | None = None
    """Flavor of the task's nodes."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.role = take("role", None)
        value = take("algorithm", None)
        self.algorithm = _models.TaskAlgorithm.from_dict(value) if isinstance(value, dict) else value
        value = take("task_resource", None)
        self.task_resource = _models.Flavor.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        self._received = src_dict
        return self

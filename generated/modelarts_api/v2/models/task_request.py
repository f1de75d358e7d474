# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class TaskRequest(Model):
    """One kind of task in a job of different tasks. The service does not carry it out yet."""

    role: str | Unset = UNSET
    """Part that the task plays; the service does nothing with it yet."""
    algorithm: _models.TaskAlgorithmRequest | Unset = UNSET
    """Code, image and settings that the task runs."""
    task_resource: _models.TaskResourceRequest | Unset = UNSET
    """Flavor and number of nodes of the task."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.role = take("role", UNSET)
        value = take("algorithm", UNSET)
        self.algorithm = _models.TaskAlgorithmRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("task_resource", UNSET)
        self.task_resource = _models.TaskResourceRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> TaskRequestDict: ...


class TaskRequestDict(TypedDict, total=False):
    """`TaskRequest` as a dict."""

    role: str
    algorithm: _models.TaskAlgorithmRequestDict
    task_resource: _models.TaskResourceRequestDict


class TaskRequestInput(TypedDict, total=False):
    """`TaskRequest` as a dict whose values are converted before they are sent."""

    role: str
    algorithm: _models.TaskAlgorithmRequestInput
    task_resource: _models.TaskResourceRequestDict

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
class JobMetadata(ResponseModel):
    """Id, name and other data that describe a job."""

    id: str = attrs.field(default=None)
    """Id that the service gave; mostly a UUID, but not always with dashes."""
    name: str = attrs.field(default=None)
    """Name of the job, as the request gave it."""
    workspace_id: str = attrs.field(default=None)
    """Workspace that the job belongs to; `0` is the default workspace."""
    description: str = attrs.field(default=None)
    """Description of the job, as the request gave it."""
    create_time: int = attrs.field(default=None)
    """When the job was created, in milliseconds since 1970."""
    user_name: str = attrs.field(default=None)
    """Who created the job; empty in responses to creation."""
    ai_project: str | None = None
    """Project in an older sense that the service no longer uses; always `default-ai-project`."""
    annotations: _models.JobAnnotations = attrs.field(factory=dict)
    """Settings of advanced functions, by name; the service adds keys such as `key_task`."""
    training_experiment_reference: _models.ExperimentReference | None = None
    """Experiment that the job belongs to."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    created_at = Instant[datetime]("create_time", "ms")
    """`create_time` as a time with its zone."""

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.id = take("id", None)
        self.name = take("name", None)
        self.workspace_id = take("workspace_id", None)
        self.description = take("description", None)
        self.create_time = take("create_time", None)
        self.user_name = take("user_name", None)
        self.ai_project = take("ai_project", None)
        value = take("annotations", None)
        self.annotations = {} if value is None else value
        value = take("training_experiment_reference", None)
        self.training_experiment_reference = (
            _models.ExperimentReference.from_dict(value) if isinstance(value, dict) else value
        )
        self.additional_properties = rest
        self._received = src_dict
        return self

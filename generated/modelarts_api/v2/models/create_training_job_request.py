# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.create_training_job_request_kind import CreateTrainingJobRequestKind
    from ..models.job_algorithm_request import JobAlgorithmRequest
    from ..models.job_endpoints_request import JobEndpointsRequest
    from ..models.job_metadata_request import JobMetadataRequest
    from ..models.job_spec_request import JobSpecRequest
    from ..models.task_request import TaskRequest


@attrs.define(kw_only=True, repr=False)
class CreateTrainingJobRequest(Model):
    """A training job to be started."""

    kind: CreateTrainingJobRequestKind
    """What is created: a training job, or a job that only serves a visualization tool.
    The service's default: 'job'.
    """
    metadata: JobMetadataRequest
    """Name and other things that describe the job."""
    algorithm: JobAlgorithmRequest | Unset = UNSET
    """What to run: a stored algorithm by `id`, a subscribed one, code with its boot file, or an image with its
    command.
    """
    tasks: list[TaskRequest] | Unset = UNSET
    """Different tasks in one job. The service does not carry them out yet; they exclude `spec`."""
    spec: JobSpecRequest | Unset = UNSET
    """Machines, volumes, logs and limits. It excludes `tasks`."""
    endpoints: JobEndpointsRequest | Unset = UNSET
    """Ways into the running container."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("kind", "kind"),
        ("metadata", "metadata"),
        ("algorithm", "algorithm"),
        ("tasks", "tasks"),
        ("spec", "spec"),
        ("endpoints", "endpoints"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.kind = take("kind", UNSET)
        value = take("metadata", UNSET)
        self.metadata = models.JobMetadataRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("algorithm", UNSET)
        self.algorithm = models.JobAlgorithmRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("tasks", UNSET)
        self.tasks = (
            [models.TaskRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        value = take("spec", UNSET)
        self.spec = models.JobSpecRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("endpoints", UNSET)
        self.endpoints = models.JobEndpointsRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

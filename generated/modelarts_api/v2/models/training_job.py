# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.job_algorithm import JobAlgorithm
    from ..models.job_endpoints import JobEndpoints
    from ..models.job_metadata import JobMetadata
    from ..models.job_spec import JobSpec
    from ..models.job_status import JobStatus
    from ..models.task import Task


@attrs.define(kw_only=True, repr=False)
class TrainingJob(Model):
    """A training job as the service sees it. Creating, showing, stopping and finding jobs all answer with it."""

    metadata: JobMetadata
    """Id, name and other things that describe the job."""
    status: JobStatus
    """How far the job is."""
    kind: str | None | Unset = UNSET
    """What it is.
    Known values: job, visualization_job.
    """
    algorithm: JobAlgorithm | None | Unset = UNSET
    """What the job runs."""
    tasks: list[Task] | None | Unset = UNSET
    """Tasks of a job that mixes several kinds. The names of ordinary tasks stand in `status.tasks`."""
    spec: JobSpec | None | Unset = UNSET
    """Machines, volumes, logs and limits."""
    endpoints: JobEndpoints | None | Unset = UNSET
    """Ways into the running container."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("metadata", "metadata"),
        ("status", "status"),
        ("kind", "kind"),
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
        value = take("metadata", UNSET)
        self.metadata = models.JobMetadata.from_dict(value) if isinstance(value, dict) else value
        value = take("status", UNSET)
        self.status = models.JobStatus.from_dict(value) if isinstance(value, dict) else value
        self.kind = take("kind", UNSET)
        value = take("algorithm", UNSET)
        self.algorithm = models.JobAlgorithm.from_dict(value) if isinstance(value, dict) else value
        value = take("tasks", UNSET)
        self.tasks = (
            [models.Task.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        value = take("spec", UNSET)
        self.spec = models.JobSpec.from_dict(value) if isinstance(value, dict) else value
        value = take("endpoints", UNSET)
        self.endpoints = models.JobEndpoints.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

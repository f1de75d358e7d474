# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel
from modelarts_runtime.views import TrainingJobView

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class TrainingJob(TrainingJobView, ResponseModel):
    """A training job. The operations that create, show, stop and list jobs all return this object."""

    kind: str = attrs.field(default=None)
    """Kind of the job: training (`job`) or a visualization tool (`visualization_job`).
    Known values: job, visualization_job, federated_pool_job, edge_job, hetero_job, mrs_job, autosearch_job,
    diag_job.
    """
    metadata: _models.JobMetadata = attrs.field(default=None)
    """Id, name and other data that describe the job."""
    status: _models.JobStatus = attrs.field(default=None)
    """Phase of the job, its tasks, times and restarts."""
    algorithm: _models.JobAlgorithm = attrs.field(default=None)
    """Algorithm, code or image that the job runs."""
    spec: _models.JobSpec = attrs.field(default=None)
    """Machines, volumes, logs and limits."""
    tasks: list[_models.Task] = attrs.field(factory=list)
    """Tasks of a job that mixes several kinds. The names of ordinary tasks stand in `status.tasks`."""
    endpoints: _models.JobEndpoints | None = None
    """Remote access to the running container, such as SSH."""
    ftjob_config: _models.FineTuningConfig | None = None
    """Settings of a fine-tuning job."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.kind = take("kind", None)
        value = take("metadata", None)
        self.metadata = _models.JobMetadata.from_dict(value) if isinstance(value, dict) else value
        value = take("status", None)
        self.status = _models.JobStatus.from_dict(value) if isinstance(value, dict) else value
        value = take("algorithm", None)
        self.algorithm = _models.JobAlgorithm.from_dict(value) if isinstance(value, dict) else value
        value = take("spec", None)
        self.spec = _models.JobSpec.from_dict(value) if isinstance(value, dict) else value
        value = take("tasks", None)
        self.tasks = (
            [_models.Task.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        value = take("endpoints", None)
        self.endpoints = _models.JobEndpoints.from_dict(value) if isinstance(value, dict) else value
        value = take("ftjob_config", None)
        self.ftjob_config = _models.FineTuningConfig.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        self._received = src_dict
        return self

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Required, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class CreateTrainingJobRequest(Model):
    """A training job to be started."""

    metadata: _models.JobMetadataRequest
    """Name and other data that describe the job."""
    kind: _models.CreateTrainingJobRequestKind | Unset = UNSET
    """Kind of the job: training (`job`), or a job that only serves a visualization tool (`visualization_job`). The
    others are kinds of Huawei Cloud; `federated_pool_job` needs `spec.resource.pool_group_id`.
    The service's default: 'job'.
    """
    algorithm: _models.JobAlgorithmRequest | Unset = UNSET
    """What to run: a stored algorithm by `id`, a subscribed one, code with its boot file, or an image with its
    command.
    """
    tasks: Sequence[_models.TaskRequest] | Unset = UNSET
    """Different tasks in one job. The service does not carry them out yet; they exclude `spec`."""
    spec: _models.JobSpecRequest | Unset = UNSET
    """Machines, volumes, logs and limits. It excludes `tasks`."""
    endpoints: _models.JobEndpointsRequest | Unset = UNSET
    """Remote access to the running container, such as SSH."""
    train_type: _models.CreateTrainingJobRequestTrainType | Unset = UNSET
    """How a model is fine-tuned; it makes the job a fine-tuning job."""
    ftjob_config: _models.FineTuningConfigRequest | Unset = UNSET
    """Settings of the fine-tuning."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("metadata", UNSET)
        self.metadata = _models.JobMetadataRequest.from_dict(value) if isinstance(value, dict) else value
        self.kind = take("kind", UNSET)
        value = take("algorithm", UNSET)
        self.algorithm = _models.JobAlgorithmRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("tasks", UNSET)
        self.tasks = (
            [_models.TaskRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        value = take("spec", UNSET)
        self.spec = _models.JobSpecRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("endpoints", UNSET)
        self.endpoints = _models.JobEndpointsRequest.from_dict(value) if isinstance(value, dict) else value
        self.train_type = take("train_type", UNSET)
        value = take("ftjob_config", UNSET)
        self.ftjob_config = _models.FineTuningConfigRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> CreateTrainingJobRequestDict: ...


class CreateTrainingJobRequestDict(TypedDict, total=False):
    """`CreateTrainingJobRequest` as a dict."""

    metadata: Required[_models.JobMetadataRequestDict]
    kind: _models.CreateTrainingJobRequestKind
    algorithm: _models.JobAlgorithmRequestDict
    tasks: Sequence[_models.TaskRequestDict]
    spec: _models.JobSpecRequestDict
    endpoints: _models.JobEndpointsRequestDict
    train_type: _models.CreateTrainingJobRequestTrainType
    ftjob_config: _models.FineTuningConfigRequestDict


class CreateTrainingJobRequestInput(TypedDict, total=False):
    """`CreateTrainingJobRequest` as a dict whose values are converted before they are sent."""

    metadata: Required[_models.JobMetadataRequestDict]
    kind: _models.CreateTrainingJobRequestKind
    algorithm: _models.JobAlgorithmRequestInput
    tasks: Sequence[_models.TaskRequestInput]
    spec: _models.JobSpecRequestDict
    endpoints: _models.JobEndpointsRequestDict
    train_type: _models.CreateTrainingJobRequestTrainType
    ftjob_config: _models.FineTuningConfigRequestDict

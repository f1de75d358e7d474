# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class FineTuningConfigRequest(Model):
    """Settings of a fine-tuning job."""

    ft_job_uuid: str | Unset = UNSET
    """Id of the fine-tuning job."""
    ft_train_type: str | Unset = UNSET
    """How the model is trained."""
    model_type: str | Unset = UNSET
    """Kind of the model."""
    train_output_path: str | Unset = UNSET
    """OBS path that the outputs go to."""
    train_process: float | Unset = UNSET
    """Progress."""
    checkpoint_id: str | Unset = UNSET
    """Id of a checkpoint."""
    task_env: _models.TaskEnvironmentRequest | Unset = UNSET
    """Environment variables."""
    checkpoint_config: _models.CheckpointConfigRequest | Unset = UNSET
    """Which checkpoints are kept."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.ft_job_uuid = take("ft_job_uuid", UNSET)
        self.ft_train_type = take("ft_train_type", UNSET)
        self.model_type = take("model_type", UNSET)
        self.train_output_path = take("train_output_path", UNSET)
        self.train_process = take("train_process", UNSET)
        self.checkpoint_id = take("checkpoint_id", UNSET)
        value = take("task_env", UNSET)
        self.task_env = _models.TaskEnvironmentRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("checkpoint_config", UNSET)
        self.checkpoint_config = _models.CheckpointConfigRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> FineTuningConfigRequestDict: ...


class FineTuningConfigRequestDict(TypedDict, total=False):
    """`FineTuningConfigRequest` as a dict."""

    ft_job_uuid: str
    ft_train_type: str
    model_type: str
    train_output_path: str
    train_process: float
    checkpoint_id: str
    task_env: _models.TaskEnvironmentRequestDict
    checkpoint_config: _models.CheckpointConfigRequestDict

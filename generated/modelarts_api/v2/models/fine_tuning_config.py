# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class FineTuningConfig(ResponseModel):
    """Settings of a fine-tuning job."""

    ft_job_uuid: str | None = None
    """Id of the fine-tuning job."""
    ft_train_type: str | None = None
    """How the model is trained."""
    model_type: str | None = None
    """Kind of the model."""
    train_output_path: str | None = None
    """OBS path that the outputs go to."""
    train_process: float | None = None
    """Progress."""
    checkpoint_id: str | None = None
    """Id of a checkpoint."""
    task_env: _models.TaskEnvironment | None = None
    """Environment variables."""
    checkpoint_config: _models.CheckpointConfig | None = None
    """Which checkpoints are kept."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.ft_job_uuid = take("ft_job_uuid", None)
        self.ft_train_type = take("ft_train_type", None)
        self.model_type = take("model_type", None)
        self.train_output_path = take("train_output_path", None)
        self.train_process = take("train_process", None)
        self.checkpoint_id = take("checkpoint_id", None)
        value = take("task_env", None)
        self.task_env = _models.TaskEnvironment.from_dict(value) if isinstance(value, dict) else value
        value = take("checkpoint_config", None)
        self.checkpoint_config = _models.CheckpointConfig.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        self._received = src_dict
        return self

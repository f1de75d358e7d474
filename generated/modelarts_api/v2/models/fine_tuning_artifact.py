# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class FineTuningArtifact(ResponseModel):
    """A model or checkpoint that a job made."""

    artifact_type: str | None = None
    """The final model, or a checkpoint on the way.
    Known values: final, middle.
    """
    is_best: bool | None = None
    """Whether it is the best of the run."""
    artifact_id: str | None = None
    """Id of the model or checkpoint."""
    continue_train_nums: int | None = None
    """Jobs that went on from it."""
    asset_id: str | None = None
    """Id of the asset that it was published as."""
    asset_name: str | None = None
    """Name of the asset that it was published as."""
    status: str | None = None
    """How far its publication is."""
    epoch: int | None = None
    """Epoch that it was saved in."""
    steps: int | None = None
    """Step that it was saved at."""
    loss: float | None = None
    """Loss at that step."""
    create_time: str | None = None
    """When it was saved."""
    publish_error_msg: str | None = None
    """Why its publication failed."""
    task_infos: list[_models.ContinuedJob] = attrs.field(factory=list)
    """Jobs that went on from it."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.artifact_type = take("artifact_type", None)
        self.is_best = take("is_best", None)
        self.artifact_id = take("artifact_id", None)
        self.continue_train_nums = take("continue_train_nums", None)
        self.asset_id = take("asset_id", None)
        self.asset_name = take("asset_name", None)
        self.status = take("status", None)
        self.epoch = take("epoch", None)
        self.steps = take("steps", None)
        self.loss = take("loss", None)
        self.create_time = take("create_time", None)
        self.publish_error_msg = take("publish_error_msg", None)
        value = take("task_infos", None)
        self.task_infos = (
            [_models.ContinuedJob.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        self.additional_properties = rest
        self._received = src_dict
        return self

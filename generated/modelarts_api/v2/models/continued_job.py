# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class ContinuedJob(ResponseModel):
    """A job that went on from a checkpoint."""

    checkpoint_id: str | None = None
    """Id of the checkpoint."""
    continue_task_id: str | None = None
    """Id of the job that went on."""
    continue_task_name: str | None = None
    """Name of the job that went on."""
    continue_train_type: str | None = None
    """How that job trains.
    Known values: SFT, PRETRAIN, LORA, DPO, RFT.
    """
    skipped_steps: int | None = None
    """Steps that were skipped; 0 for none."""
    restore_training: int | None = None
    """Whether the training was resumed: 1 for yes, 0 for no."""
    create_time: str | None = None
    """When the job was created."""
    checkpoint_config: str | None = None
    """Settings of its checkpoints, as a text."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.checkpoint_id = take("checkpoint_id", None)
        self.continue_task_id = take("continue_task_id", None)
        self.continue_task_name = take("continue_task_name", None)
        self.continue_train_type = take("continue_train_type", None)
        self.skipped_steps = take("skipped_steps", None)
        self.restore_training = take("restore_training", None)
        self.create_time = take("create_time", None)
        self.checkpoint_config = take("checkpoint_config", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class CheckpointConfig(ResponseModel):
    """Which checkpoints a fine-tuning job keeps, and how it continues from one."""

    checkpoint_id: str | None = None
    """Id of the checkpoint to go on from."""
    save_checkpoints_max: int | None = None
    """Checkpoints to keep; 0 for none, -1 for all."""
    skipped_steps: int | None = None
    """Steps to skip; 0 for none."""
    restore_training: int | None = None
    """Whether the training is resumed: 1 for yes, 0 for no."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.checkpoint_id = take("checkpoint_id", None)
        self.save_checkpoints_max = take("save_checkpoints_max", None)
        self.skipped_steps = take("skipped_steps", None)
        self.restore_training = take("restore_training", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

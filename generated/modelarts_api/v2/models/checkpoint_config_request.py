# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset


@attrs.define(kw_only=True, repr=False, eq=False)
class CheckpointConfigRequest(Model):
    """Which checkpoints a fine-tuning job keeps, and how it continues from one."""

    checkpoint_id: str | Unset = UNSET
    """Id of the checkpoint to go on from."""
    save_checkpoints_max: int | Unset = UNSET
    """Checkpoints to keep; 0 for none, -1 for all."""
    skipped_steps: int | Unset = UNSET
    """Steps to skip; 0 for none."""
    restore_training: int | Unset = UNSET
    """Whether the training is resumed: 1 for yes, 0 for no."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.checkpoint_id = take("checkpoint_id", UNSET)
        self.save_checkpoints_max = take("save_checkpoints_max", UNSET)
        self.skipped_steps = take("skipped_steps", UNSET)
        self.restore_training = take("restore_training", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> CheckpointConfigRequestDict: ...


class CheckpointConfigRequestDict(TypedDict, total=False):
    """`CheckpointConfigRequest` as a dict."""

    checkpoint_id: str
    save_checkpoints_max: int
    skipped_steps: int
    restore_training: int

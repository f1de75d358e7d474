# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class ContinuedFrom(ResponseModel):
    """The checkpoint that a job went on from."""

    checkpoint_id: str | None = None
    """Id of the checkpoint."""
    source_model_id: str | None = None
    """Id of the model."""
    source_model_name: str | None = None
    """Name of the model."""
    epoch: int | None = None
    """Epoch of the checkpoint."""
    steps: int | None = None
    """Step of the checkpoint."""
    is_best: bool | None = None
    """Whether it was the best of its run."""
    skipped_steps: int | None = None
    """Steps that were skipped."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.checkpoint_id = take("checkpoint_id", None)
        self.source_model_id = take("source_model_id", None)
        self.source_model_name = take("source_model_name", None)
        self.epoch = take("epoch", None)
        self.steps = take("steps", None)
        self.is_best = take("is_best", None)
        self.skipped_steps = take("skipped_steps", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

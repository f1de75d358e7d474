# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class FineTuningMetrics(ResponseModel):
    """Losses, progress and charts of a fine-tuning job."""

    loss: _models.FreeObject = attrs.field(factory=dict)
    """Loss of the training."""
    eval_loss: _models.FreeObject = attrs.field(factory=dict)
    """Loss of the evaluation."""
    training_info: _models.FreeObject = attrs.field(factory=dict)
    """Estimated duration of the training."""
    train_process: float | None = None
    """Progress."""
    data: _models.FineTuningData | None = None
    """The charts."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("loss", None)
        self.loss = {} if value is None else value
        value = take("eval_loss", None)
        self.eval_loss = {} if value is None else value
        value = take("training_info", None)
        self.training_info = {} if value is None else value
        self.train_process = take("train_process", None)
        value = take("data", None)
        self.data = _models.FineTuningData.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        self._received = src_dict
        return self

# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class ModelMetrics(ResponseModel):
    """How good a model is, per class and in total."""

    metric: list[_models.ClassMetric] = attrs.field(factory=list)
    """Evaluation results, one entry per class."""
    total_metric: _models.TotalMetric | None = None
    """Evaluation results of the whole model."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("metric", None)
        self.metric = (
            [_models.ClassMetric.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        value = take("total_metric", None)
        self.total_metric = _models.TotalMetric.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        self._received = src_dict
        return self

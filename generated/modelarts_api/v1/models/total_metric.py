# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class TotalMetric(ResponseModel):
    """Evaluation results of the whole model."""

    total_metric_values: _models.MetricValues | list[_models.MetricValues] = attrs.field(default=None)
    """Recall, precision, accuracy and F1 score of the whole model."""
    total_metric_meta: _models.MetricAttributes | list[_models.MetricAttributes] = attrs.field(default=None)
    """Further data about the results; empty in the examples."""
    total_reserved_data: _models.MetricAttributes | list[_models.MetricAttributes] = attrs.field(default=None)
    """Reserved by the service; empty in the examples."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("total_metric_values", None)
        self.total_metric_values = (
            _models.MetricValues.from_dict(value)
            if isinstance(value, dict)
            else [_models.MetricValues.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.total_metric_meta = take("total_metric_meta", None)
        self.total_reserved_data = take("total_reserved_data", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

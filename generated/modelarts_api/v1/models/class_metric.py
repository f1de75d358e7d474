# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class ClassMetric(ResponseModel):
    """Evaluation results of one class."""

    metric_values: _models.MetricValues = attrs.field(default=None)
    """Recall, precision, accuracy and F1 score of the class."""
    metric_meta: _models.MetricAttributes = attrs.field(factory=dict)
    """Id and name of the class that the results are for."""
    reserved_data: _models.MetricAttributes = attrs.field(factory=dict)
    """Reserved by the service; empty in the examples."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("metric_values", None)
        self.metric_values = _models.MetricValues.from_dict(value) if isinstance(value, dict) else value
        value = take("metric_meta", None)
        self.metric_meta = {} if value is None else value
        value = take("reserved_data", None)
        self.reserved_data = {} if value is None else value
        self.additional_properties = rest
        self._received = src_dict
        return self

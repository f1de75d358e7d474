# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class MetricValues(ResponseModel):
    """Evaluation results, each between 0 and 1."""

    recall: float = attrs.field(default=None)
    """Share of the true cases that were predicted."""
    precision: float = attrs.field(default=None)
    """Share of the predicted cases that are true."""
    accuracy: float = attrs.field(default=None)
    """Share of predictions that are correct."""
    f1_score: float | None = None
    """Harmonic mean of precision and recall."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.recall = take("recall", None)
        self.precision = take("precision", None)
        self.accuracy = take("accuracy", None)
        self.f1_score = take("f1_score", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

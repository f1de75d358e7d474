# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.metric_attributes import MetricAttributes
    from ..models.metric_values import MetricValues


@attrs.define(kw_only=True, repr=False)
class TotalMetric(Model):
    """Figures of the whole model."""

    total_metric_values: list[MetricValues] | MetricValues | None | Unset = UNSET
    """The figures."""
    total_metric_meta: list[MetricAttributes] | MetricAttributes | None | Unset = UNSET
    """More about the figures; empty in the examples."""
    total_reserved_data: list[MetricAttributes] | MetricAttributes | None | Unset = UNSET
    """Not used so far."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("total_metric_values", "total_metric_values"),
        ("total_metric_meta", "total_metric_meta"),
        ("total_reserved_data", "total_reserved_data"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("total_metric_values", UNSET)
        self.total_metric_values = (
            models.MetricValues.from_dict(value)
            if isinstance(value, dict)
            else [models.MetricValues.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        value = take("total_metric_meta", UNSET)
        self.total_metric_meta = (
            models.MetricAttributes.from_dict(value)
            if isinstance(value, dict)
            else [models.MetricAttributes.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        value = take("total_reserved_data", UNSET)
        self.total_reserved_data = (
            models.MetricAttributes.from_dict(value)
            if isinstance(value, dict)
            else [models.MetricAttributes.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.additional_properties = rest
        return self

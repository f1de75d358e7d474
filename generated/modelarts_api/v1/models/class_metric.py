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
class ClassMetric(Model):
    """Figures of one class."""

    metric_values: MetricValues | None | Unset = UNSET
    """The figures."""
    metric_meta: MetricAttributes | None | Unset = UNSET
    """Which class it is."""
    reserved_data: MetricAttributes | None | Unset = UNSET
    """Not used so far."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("metric_values", "metric_values"),
        ("metric_meta", "metric_meta"),
        ("reserved_data", "reserved_data"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("metric_values", UNSET)
        self.metric_values = models.MetricValues.from_dict(value) if isinstance(value, dict) else value
        value = take("metric_meta", UNSET)
        self.metric_meta = models.MetricAttributes.from_dict(value) if isinstance(value, dict) else value
        value = take("reserved_data", UNSET)
        self.reserved_data = models.MetricAttributes.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

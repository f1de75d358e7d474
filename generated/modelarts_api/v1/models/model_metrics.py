# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.class_metric import ClassMetric
    from ..models.total_metric import TotalMetric


@attrs.define(kw_only=True, repr=False)
class ModelMetrics(Model):
    """How good a model is, per class and in total."""

    metric: list[ClassMetric] | None | Unset = UNSET
    """Figures of the classes."""
    total_metric: TotalMetric | None | Unset = UNSET
    """Figures of the whole model."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("metric", "metric"),
        ("total_metric", "total_metric"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("metric", UNSET)
        self.metric = (
            [models.ClassMetric.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        value = take("total_metric", UNSET)
        self.total_metric = models.TotalMetric.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

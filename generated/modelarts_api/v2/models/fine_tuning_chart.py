# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class FineTuningChart(ResponseModel):
    """A chart of metrics, with the points to draw."""

    name_cn: str | None = None
    """Name of the chart in Chinese."""
    name_en: str | None = None
    """Name of the chart in English."""
    des_en: str | None = None
    """What the chart shows, in English."""
    des_cn: str | None = None
    """What the chart shows, in Chinese."""
    type_: str | None = None
    """How it is drawn.
    Known values: line, pie, table, scalar.
    """
    group: str | None = None
    """Part of the training that it belongs to.
    Known values: training, validation, test.
    """
    group_by: list[str] = attrs.field(factory=list)
    """Members of a point; the values of each member make a series."""
    x_axis: str | None = None
    """Member of a point for the horizontal axis.
    Known values: step, epoch, timestamp.
    """
    tags: list[str] = attrs.field(factory=list)
    """Labels that group charts."""
    unit: str | None = None
    """Unit to show."""
    data: Any = None
    """Points in ascending order."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    _names: ClassVar[Mapping[str, str]] = {
        "type_": "type",
    }

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.name_cn = take("name_cn", None)
        self.name_en = take("name_en", None)
        self.des_en = take("des_en", None)
        self.des_cn = take("des_cn", None)
        self.type_ = take("type", None)
        self.group = take("group", None)
        value = take("group_by", None)
        self.group_by = [] if value is None else value
        self.x_axis = take("x_axis", None)
        value = take("tags", None)
        self.tags = [] if value is None else value
        self.unit = take("unit", None)
        self.data = take("data", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

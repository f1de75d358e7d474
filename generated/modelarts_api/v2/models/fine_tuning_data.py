# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel
from modelarts_runtime.times import Instant

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class FineTuningData(ResponseModel):
    """Charts as a file that the job writes."""

    format_version: str | None = None
    """Version of the format, always `1.0`."""
    timestamp: str | None = None
    """When the data was made, in UTC."""
    metrics: list[_models.FineTuningChart] = attrs.field(factory=list)
    """The charts."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    made_at = Instant[datetime | None]("timestamp", "RFC 3339")
    """`timestamp` as a time with its zone."""

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.format_version = take("format_version", None)
        self.timestamp = take("timestamp", None)
        value = take("metrics", None)
        self.metrics = (
            [_models.FineTuningChart.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        self.additional_properties = rest
        self._received = src_dict
        return self

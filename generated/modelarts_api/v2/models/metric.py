# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class Metric(ResponseModel):
    """The course of one metric."""

    metric: str = attrs.field(default=None)
    """What was measured. Usage of processor, memory, graphics and neural processors.
    Known values: cpuUsage, memUsage, gpuUtil, gpuMemUsage, npuUtil, npuMemUsage.
    """
    value: list[float] = attrs.field(factory=list)
    """One average per minute, oldest first, in percent. −1 stands where nothing was measured."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.metric = take("metric", None)
        value = take("value", None)
        self.value = [] if value is None else value
        self.additional_properties = rest
        self._received = src_dict
        return self

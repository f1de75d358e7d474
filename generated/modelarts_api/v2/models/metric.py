# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class Metric(Model):
    """The course of one metric."""

    metric: str | None | Unset = UNSET
    """What was measured. Usage of processor, memory, graphics and neural processors.
    Known values: cpuUsage, memUsage, gpuUtil, gpuMemUsage, npuUtil, npuMemUsage.
    """
    value: list[float] | None | Unset = UNSET
    """One average per minute, oldest first, in percent. −1 stands where nothing was measured."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("metric", "metric"),
        ("value", "value"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.metric = take("metric", UNSET)
        self.value = take("value", UNSET)
        self.additional_properties = rest
        return self

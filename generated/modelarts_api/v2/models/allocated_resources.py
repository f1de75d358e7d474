# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class AllocatedResources(ResponseModel):
    """Processors, memory and cards that each task got."""

    cpu_arch: str | None = None
    """Architecture of the processors."""
    cpu_core_num: float | None = None
    """Cores."""
    mem_size: float | None = None
    """Memory."""
    accelerator_num: float | None = None
    """Cards."""
    accelerator_type: str | None = None
    """Type of the cards, such as `ascend-snt9b`."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.cpu_arch = take("cpu_arch", None)
        self.cpu_core_num = take("cpu_core_num", None)
        self.mem_size = take("mem_size", None)
        self.accelerator_num = take("accelerator_num", None)
        self.accelerator_type = take("accelerator_type", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

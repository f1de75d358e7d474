# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class Cpu(ResponseModel):
    """Processor cores of a node."""

    arch: str = attrs.field(default=None)
    """Processor architecture, such as `x86`.
    Known values: x86.
    """
    core_num: int = attrs.field(default=None)
    """Number of processor cores."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.arch = take("arch", None)
        self.core_num = take("core_num", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class ResourceRequirement(ResponseModel):
    """A restriction on the flavors that suit an algorithm."""

    key: str | None = None
    """What is restricted: the processor (`flavor_type`), several cards in a node (`device_distributed_mode`) or
    several nodes (`host_distributed_mode`).
    Known values: flavor_type, device_distributed_mode, host_distributed_mode.
    """
    value: list[str] = attrs.field(factory=list)
    """`CPU` or `GPU` for the processor; `multiple` or `singular` for the other two."""
    values: list[str] = attrs.field(factory=list)
    """The same under the request's name."""
    operator: str | None = None
    """Relation between key and values.
    Known values: in.
    """
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.key = take("key", None)
        value = take("value", None)
        self.value = [] if value is None else value
        value = take("values", None)
        self.values = [] if value is None else value
        self.operator = take("operator", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class TaskVariable(ResponseModel):
    """An environment variable of a fine-tuning job."""

    label: str | None = None
    """Name to show."""
    des: str | None = None
    """What the variable does."""
    env_name: str | None = None
    """Name of the variable."""
    env_type: str | None = None
    """Type of the value."""
    value: str | None = None
    """Value of the variable."""
    modifiable: bool | None = None
    """Whether users may change it."""
    displayable: bool | None = None
    """Whether it is shown."""
    used_steps: list[str] = attrs.field(factory=list)
    """Steps that it is used in."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.label = take("label", None)
        self.des = take("des", None)
        self.env_name = take("env_name", None)
        self.env_type = take("env_type", None)
        self.value = take("value", None)
        self.modifiable = take("modifiable", None)
        self.displayable = take("displayable", None)
        value = take("used_steps", None)
        self.used_steps = [] if value is None else value
        self.additional_properties = rest
        self._received = src_dict
        return self

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset


@attrs.define(kw_only=True, repr=False, eq=False)
class TaskVariableRequest(Model):
    """An environment variable of a fine-tuning job."""

    label: str | Unset = UNSET
    """Name to show."""
    des: str | Unset = UNSET
    """What the variable does."""
    env_name: str | Unset = UNSET
    """Name of the variable."""
    env_type: str | Unset = UNSET
    """Type of the value."""
    value: str | Unset = UNSET
    """Value of the variable."""
    modifiable: bool | Unset = UNSET
    """Whether users may change it."""
    displayable: bool | Unset = UNSET
    """Whether it is shown."""
    used_steps: list[str] | Unset = UNSET
    """Steps that it is used in."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.label = take("label", UNSET)
        self.des = take("des", UNSET)
        self.env_name = take("env_name", UNSET)
        self.env_type = take("env_type", UNSET)
        self.value = take("value", UNSET)
        self.modifiable = take("modifiable", UNSET)
        self.displayable = take("displayable", UNSET)
        self.used_steps = take("used_steps", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> TaskVariableRequestDict: ...


class TaskVariableRequestDict(TypedDict, total=False):
    """`TaskVariableRequest` as a dict."""

    label: str
    des: str
    env_name: str
    env_type: str
    value: str
    modifiable: bool
    displayable: bool
    used_steps: list[str]

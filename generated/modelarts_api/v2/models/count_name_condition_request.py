# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Required, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET


@attrs.define(kw_only=True, repr=False, eq=False)
class CountNameConditionRequest(Model):
    """Jobs with a member that contains a text."""

    key: str
    """Member that is compared, such as `resource_name`."""
    value: str
    """Part of the member, 1 to 255 characters."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.key = take("key", UNSET)
        self.value = take("value", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> CountNameConditionRequestDict: ...


class CountNameConditionRequestDict(TypedDict, total=False):
    """`CountNameConditionRequest` as a dict."""

    key: Required[str]
    value: Required[str]

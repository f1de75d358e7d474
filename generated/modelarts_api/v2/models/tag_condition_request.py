# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset


@attrs.define(kw_only=True, repr=False, eq=False)
class TagConditionRequest(Model):
    """Jobs whose label of this key has one of the values."""

    key: str | Unset = UNSET
    """Key of the label."""
    values: list[str] | Unset = UNSET
    """Up to 10 values; the label has one of them."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.key = take("key", UNSET)
        self.values = take("values", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> TagConditionRequestDict: ...


class TagConditionRequestDict(TypedDict, total=False):
    """`TagConditionRequest` as a dict."""

    key: str
    values: list[str]

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Required, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset


@attrs.define(kw_only=True, repr=False, eq=False)
class JobTagRequest(Model):
    """A label to set or to remove."""

    key: str
    """Key, 1 to 128 letters of any language, digits, spaces and `_ . : = + - @`; without a space at either end, and
    not beginning with `_sys_`.
    """
    value: str | Unset = UNSET
    """Value, up to 255 of the same characters and `/`."""
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

        def to_dict(self) -> JobTagRequestDict: ...


class JobTagRequestDict(TypedDict, total=False):
    """`JobTagRequest` as a dict."""

    key: Required[str]
    value: str

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class NameConditionRequest(Model):
    """Jobs whose name contains a text."""

    key: _models.NameConditionRequestKey | Unset = UNSET
    """Member that is compared."""
    value: str | Unset = UNSET
    """Part of the name, 1 to 255 characters."""
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

        def to_dict(self) -> NameConditionRequestDict: ...


class NameConditionRequestDict(TypedDict, total=False):
    """`NameConditionRequest` as a dict."""

    key: _models.NameConditionRequestKey
    value: str

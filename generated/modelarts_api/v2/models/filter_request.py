# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class FilterRequest(Model):
    """One condition on jobs. Empty values, or an empty list, restrict nothing."""

    key: str | Unset = UNSET
    """Name of the field that the filter compares.
    Known values: id, name, create_time, phase, algorithm_name, kind, user_id, runtime_type.
    """
    operator: _models.FilterRequestOperator | Unset = UNSET
    """`like` finds a part of a text, `in` one of several values, `not` none of them, `between` everything from the
    first value to the second.
    """
    value: list[str] | Unset = UNSET
    """Values to compare with; a time is given in milliseconds as text."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.key = take("key", UNSET)
        self.operator = take("operator", UNSET)
        self.value = take("value", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> FilterRequestDict: ...


class FilterRequestDict(TypedDict, total=False):
    """`FilterRequest` as a dict."""

    key: str
    operator: _models.FilterRequestOperator
    value: list[str]

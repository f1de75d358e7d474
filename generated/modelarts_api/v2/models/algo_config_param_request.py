# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset


@attrs.define(kw_only=True, repr=False, eq=False)
class AlgoConfigParamRequest(Model):
    """One setting of a search algorithm."""

    key: str | Unset = UNSET
    """Name of the setting, such as `num_samples`."""
    value: str | Unset = UNSET
    """Value of the setting, written as text."""
    type_: str | Unset = UNSET
    """Type that the text stands for, such as `Float`."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    _names: ClassVar[Mapping[str, str]] = {
        "type_": "type",
    }

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.key = take("key", UNSET)
        self.value = take("value", UNSET)
        self.type_ = take("type", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> AlgoConfigParamRequestDict: ...


class AlgoConfigParamRequestDict(TypedDict, total=False):
    """`AlgoConfigParamRequest` as a dict."""

    key: str
    value: str
    type: str

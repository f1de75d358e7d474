# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class AlgoConfigParam(Model):
    """One setting of a search algorithm."""

    key: str | None | Unset = UNSET
    """Name of the setting."""
    value: str | None | Unset = UNSET
    """Value as text."""
    type_: str | None | Unset = UNSET
    """Type that the text stands for, such as `Float`."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("key", "key"),
        ("value", "value"),
        ("type_", "type"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.key = take("key", UNSET)
        self.value = take("value", UNSET)
        self.type_ = take("type", UNSET)
        self.additional_properties = rest
        return self

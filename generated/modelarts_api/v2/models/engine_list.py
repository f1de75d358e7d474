# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.engine import Engine


@attrs.define(kw_only=True, repr=False)
class EngineList(Model):
    """The preset engines, all in one answer: there is no paging."""

    items: list[Engine]
    """One entry per engine and version."""
    total: int | None | Unset = UNSET
    """How many engines there are. The printed examples show fewer items than they count."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("items", "items"),
        ("total", "total"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("items", UNSET)
        self.items = (
            [models.Engine.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.total = take("total", UNSET)
        self.additional_properties = rest
        return self

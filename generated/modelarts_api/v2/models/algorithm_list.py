# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.algorithm import Algorithm


@attrs.define(kw_only=True, repr=False)
class AlgorithmList(Model):
    """One page of the stored algorithms."""

    items: list[Algorithm]
    """The algorithms of this page."""
    total: int | None | Unset = UNSET
    """Algorithms that meet the condition, on all pages."""
    count: int | None | Unset = UNSET
    """Algorithms on this page."""
    limit: int | None | Unset = UNSET
    """Algorithms per page, as asked."""
    offset: int | None | Unset = UNSET
    """Algorithms that were skipped, as asked."""
    sort_by: str | None | Unset = UNSET
    """Member that orders the algorithms."""
    order: str | None | Unset = UNSET
    """Largest value first (`desc`) or smallest first (`asc`).
    Known values: desc, asc.
    """
    group_by: str | None | Unset = UNSET
    """Member that groups the algorithms; empty for none."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("items", "items"),
        ("total", "total"),
        ("count", "count"),
        ("limit", "limit"),
        ("offset", "offset"),
        ("sort_by", "sort_by"),
        ("order", "order"),
        ("group_by", "group_by"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("items", UNSET)
        self.items = (
            [models.Algorithm.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.total = take("total", UNSET)
        self.count = take("count", UNSET)
        self.limit = take("limit", UNSET)
        self.offset = take("offset", UNSET)
        self.sort_by = take("sort_by", UNSET)
        self.order = take("order", UNSET)
        self.group_by = take("group_by", UNSET)
        self.additional_properties = rest
        return self

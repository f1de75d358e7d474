# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class AlgorithmList(ResponseModel):
    """One page of the stored algorithms."""

    total: int = attrs.field(default=None)
    """Algorithms that meet the condition, on all pages."""
    count: int = attrs.field(default=None)
    """Number of algorithms on this page."""
    limit: int = attrs.field(default=None)
    """Algorithms per page, as asked."""
    offset: int = attrs.field(default=None)
    """Algorithms that were skipped, as asked."""
    items: list[_models.Algorithm] = attrs.field(factory=list)
    """The algorithms of this page."""
    sort_by: str | None = None
    """Member that orders the algorithms."""
    order: str | None = None
    """Largest value first (`desc`) or smallest first (`asc`).
    Known values: desc, asc.
    """
    group_by: str | None = None
    """Member that groups the algorithms; empty for none."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.total = take("total", None)
        self.count = take("count", None)
        self.limit = take("limit", None)
        self.offset = take("offset", None)
        value = take("items", None)
        self.items = (
            [_models.Algorithm.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        self.sort_by = take("sort_by", None)
        self.order = take("order", None)
        self.group_by = take("group_by", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.trial_table import TrialTable


@attrs.define(kw_only=True, repr=False)
class TrialList(Model):
    """One page of the trials of a search."""

    items: TrialTable
    """The trials of this page: one table, not a list as in other answers."""
    total: int | None | Unset = UNSET
    """Trials of the job, on all pages."""
    count: int | None | Unset = UNSET
    """Trials on this page."""
    limit: int | None | Unset = UNSET
    """Trials per page."""
    offset: int | None | Unset = UNSET
    """Where the page begins."""
    group_by: str | None | Unset = UNSET
    """Member that groups the trials; empty for none."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("items", "items"),
        ("total", "total"),
        ("count", "count"),
        ("limit", "limit"),
        ("offset", "offset"),
        ("group_by", "group_by"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("items", UNSET)
        self.items = models.TrialTable.from_dict(value) if isinstance(value, dict) else value
        self.total = take("total", UNSET)
        self.count = take("count", UNSET)
        self.limit = take("limit", UNSET)
        self.offset = take("offset", UNSET)
        self.group_by = take("group_by", UNSET)
        self.additional_properties = rest
        return self

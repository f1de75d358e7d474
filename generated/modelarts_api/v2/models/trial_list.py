# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class TrialList(ResponseModel):
    """One page of the trials of a search."""

    total: int = attrs.field(default=None)
    """Trials of the job, on all pages."""
    count: int = attrs.field(default=None)
    """Number of trials on this page."""
    limit: int = attrs.field(default=None)
    """Largest number of trials on a page."""
    offset: int = attrs.field(default=None)
    """Position of the first trial of the page."""
    items: _models.TrialTable = attrs.field(default=None)
    """The trials of this page: one table, not a list as in other responses."""
    group_by: str | None = None
    """Member that groups the trials; empty for none."""
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
        self.items = _models.TrialTable.from_dict(value) if isinstance(value, dict) else value
        self.group_by = take("group_by", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class ExperimentList(ResponseModel):
    """One page of experiments."""

    items: list[_models.Experiment] = attrs.field(factory=list)
    """The experiments of this page."""
    total: int | None = None
    """Experiments in the workspace."""
    count: int | None = None
    """Experiments that meet the conditions."""
    limit: int | None = None
    """Experiments per page, as asked."""
    offset: int | None = None
    """Start of the page, as asked."""
    sort_by: str | None = None
    """Member that orders the experiments."""
    order: str | None = None
    """Order of the experiments.
    Known values: asc, desc.
    """
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("items", None)
        self.items = (
            [_models.Experiment.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        self.total = take("total", None)
        self.count = take("count", None)
        self.limit = take("limit", None)
        self.offset = take("offset", None)
        self.sort_by = take("sort_by", None)
        self.order = take("order", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

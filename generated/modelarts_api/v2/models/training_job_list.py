# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel
from modelarts_runtime.views import TrainingJobListView

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class TrainingJobList(TrainingJobListView, ResponseModel):
    """One page of the jobs that were found."""

    total: int = attrs.field(default=None)
    """Jobs that meet the conditions, on all pages."""
    count: int = attrs.field(default=None)
    """Number of jobs on this page."""
    limit: int = attrs.field(default=None)
    """Jobs per page, as asked."""
    offset: int = attrs.field(default=None)
    """Number of the page, as asked."""
    items: list[_models.TrainingJob] = attrs.field(factory=list)
    """The jobs of this page."""
    sort_by: str | None = None
    """Member that orders the jobs."""
    order: str | None = None
    """Newest first (`desc`) or oldest first (`asc`).
    Known values: desc, asc.
    """
    group_by: str | None = None
    """Member that groups the jobs; empty for none."""
    workspace_id: str | None = None
    """Workspace that was searched; `0` is the default workspace."""
    ai_project: str | None = None
    """Project in an older sense that the service no longer uses; always `default-ai-project`."""
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
            [_models.TrainingJob.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        self.sort_by = take("sort_by", None)
        self.order = take("order", None)
        self.group_by = take("group_by", None)
        self.workspace_id = take("workspace_id", None)
        self.ai_project = take("ai_project", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

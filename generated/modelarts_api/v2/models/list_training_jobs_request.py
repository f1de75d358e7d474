# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class ListTrainingJobsRequest(Model):
    """Which jobs to find, in what order, and which page of them."""

    offset: int | Unset = UNSET
    """Number of the page, counted from 0. It does not count jobs, unlike the `offset` of other lists."""
    limit: int | Unset = UNSET
    """Jobs per page, 1 to 50. The value that holds when it is left out is not documented."""
    sort_by: str | Unset = UNSET
    """Member that orders the jobs.
    The service's default: 'create_time'.
    """
    order: _models.ListTrainingJobsRequestOrder | Unset = UNSET
    """Newest first (`desc`) or oldest first (`asc`).
    The service's default: 'desc'.
    """
    group_by: str | Unset = UNSET
    """Member that groups the jobs; its values are not documented."""
    filters: Sequence[_models.FilterRequest] | Unset = UNSET
    """Conditions that a job has to meet, all of them."""
    workspace_id: str | Unset = UNSET
    """Workspace to look in; `0` is the default workspace.
    The service's default: '0'.
    """
    train_type: _models.ListTrainingJobsRequestTrainType | Unset = UNSET
    """Only ordinary jobs (`job`) or only fine-tuning jobs (`ftjob`)."""
    tags: Sequence[_models.TagFilterRequest] | Unset = UNSET
    """Up to 10 labels, no key twice; a job must have all of them. It restricts `create_time` to a span of 31 days, the
    last ones unless a filter says otherwise.
    """
    host_ips: list[str] | Unset = UNSET
    """Up to 10 addresses of nodes; a task of the job runs on one of them. It restricts `create_time` to a span of 31
    days, the last ones unless a filter says otherwise.
    """
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.offset = take("offset", UNSET)
        self.limit = take("limit", UNSET)
        self.sort_by = take("sort_by", UNSET)
        self.order = take("order", UNSET)
        self.group_by = take("group_by", UNSET)
        value = take("filters", UNSET)
        self.filters = (
            [_models.FilterRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.workspace_id = take("workspace_id", UNSET)
        self.train_type = take("train_type", UNSET)
        value = take("tags", UNSET)
        self.tags = (
            [_models.TagFilterRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.host_ips = take("host_ips", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> ListTrainingJobsRequestDict: ...


class ListTrainingJobsRequestDict(TypedDict, total=False):
    """`ListTrainingJobsRequest` as a dict."""

    offset: int
    limit: int
    sort_by: str
    order: _models.ListTrainingJobsRequestOrder
    group_by: str
    filters: Sequence[_models.FilterRequestDict]
    workspace_id: str
    train_type: _models.ListTrainingJobsRequestTrainType
    tags: Sequence[_models.TagFilterRequestDict]
    host_ips: list[str]

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Required, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class DeleteJobsRequest(Model):
    """Jobs to delete."""

    jobs: Sequence[_models.JobToDeleteRequest]
    """The jobs, up to 100, all of one workspace."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("jobs", UNSET)
        self.jobs = (
            [_models.JobToDeleteRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> DeleteJobsRequestDict: ...


class DeleteJobsRequestDict(TypedDict, total=False):
    """`DeleteJobsRequest` as a dict."""

    jobs: Required[Sequence[_models.JobToDeleteRequestDict]]

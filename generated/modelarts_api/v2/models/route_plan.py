# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class RoutePlan(ResponseModel):
    """In which order the tasks of a job get their ranks."""

    job_id: str | None = attrs.field(default=None)
    """Id of the job."""
    status: str | None = None
    """Whether a route was planned. If it `failed`, the order is the usual one.
    Known values: success, failed.
    """
    rank_mapping: str | None = None
    """Pairs of rank and task, as `rank-task`, with commas between them."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.job_id = take("job_id", None)
        self.status = take("status", None)
        self.rank_mapping = take("rank_mapping", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

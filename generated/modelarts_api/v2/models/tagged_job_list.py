# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class TaggedJobList(ResponseModel):
    """One page of jobs that were found by their labels."""

    resources: list[_models.TaggedJob] = attrs.field(factory=list)
    """The jobs of this page."""
    total_count: int | None = attrs.field(default=None)
    """Jobs that meet the conditions, on all pages."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("resources", None)
        self.resources = (
            [_models.TaggedJob.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        self.total_count = take("total_count", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class TaggedJob(ResponseModel):
    """A job with its labels."""

    resource_detail: _models.FreeObject = attrs.field(factory=dict)
    """Always an empty object."""
    workspace_id: str | None = None
    """Workspace that the job belongs to."""
    resource_id: str | None = None
    """Id of the job."""
    resource_name: str | None = None
    """Name of the job."""
    tags: list[_models.JobTag] = attrs.field(factory=list)
    """Labels of the job; empty if it has none."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("resource_detail", None)
        self.resource_detail = {} if value is None else value
        self.workspace_id = take("workspace_id", None)
        self.resource_id = take("resource_id", None)
        self.resource_name = take("resource_name", None)
        value = take("tags", None)
        self.tags = (
            [_models.JobTag.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        self.additional_properties = rest
        self._received = src_dict
        return self

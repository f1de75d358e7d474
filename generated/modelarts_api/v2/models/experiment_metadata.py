# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel
from modelarts_runtime.times import Instant


@attrs.define(kw_only=True, repr=False, eq=False)
class ExperimentMetadata(ResponseModel):
    """Id, name and other data of an experiment."""

    id: str = attrs.field(default=None)
    """Id that the service gave, a UUID."""
    name: str | None = None
    """Name of the experiment."""
    description: str | None = None
    """Description of the experiment."""
    workspace_id: str | None = None
    """Workspace that the experiment belongs to."""
    create_time: int | None = None
    """When the experiment was created, in milliseconds since 1970."""
    update_time: int | None = None
    """When the experiment was last changed, in milliseconds since 1970."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    created_at = Instant[datetime | None]("create_time", "ms")
    """`create_time` as a time with its zone."""
    updated_at = Instant[datetime | None]("update_time", "ms")
    """`update_time` as a time with its zone."""

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.id = take("id", None)
        self.name = take("name", None)
        self.description = take("description", None)
        self.workspace_id = take("workspace_id", None)
        self.create_time = take("create_time", None)
        self.update_time = take("update_time", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

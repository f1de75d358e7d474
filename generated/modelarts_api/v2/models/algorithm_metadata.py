# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel
from modelarts_runtime.times import Instant

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class AlgorithmMetadata(ResponseModel):
    """Id, name and other data that describe an algorithm."""

    id: str = attrs.field(default=None)
    """Id that the service gave, a UUID."""
    name: str = attrs.field(default=None)
    """Name of the algorithm, as the request gave it."""
    description: str = attrs.field(default=None)
    """Description of the algorithm, as the request gave it."""
    workspace_id: str = attrs.field(default=None)
    """Workspace that the algorithm belongs to; `0` is the default workspace."""
    ai_project: str = attrs.field(default=None)
    """Project in an older sense that the service no longer uses; always `default-ai-project`."""
    user_name: str = attrs.field(default=None)
    """Who stored the algorithm; often empty."""
    domain_id: str = attrs.field(default=None)
    """Id of the account that the user belongs to."""
    source: str = attrs.field(default=None)
    """Where the algorithm comes from.
    Known values: custom.
    """
    api_version: str = attrs.field(default=None)
    """Distinguishes algorithms of the old API from those of this one."""
    is_valid: bool = attrs.field(default=None)
    """Whether jobs can use the algorithm."""
    state: str = attrs.field(default=None)
    """State of the algorithm; always empty in the examples."""
    tags: list[_models.AlgorithmTag] = attrs.field(factory=list)
    """Labels of the algorithm, by name."""
    attr_list: list[str] = attrs.field(factory=list)
    """Further attributes of the algorithm, which the page does not explain."""
    version_num: int = attrs.field(default=None)
    """Number of versions of the algorithm; the default is 0."""
    size: int = attrs.field(default=None)
    """Size of the code in bytes."""
    create_time: int = attrs.field(default=None)
    """When the algorithm was stored, in milliseconds since 1970."""
    update_time: int = attrs.field(default=None)
    """When it was changed last, in milliseconds since 1970; 0 for never."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    created_at = Instant[datetime]("create_time", "ms")
    """`create_time` as a time with its zone."""
    updated_at = Instant[datetime]("update_time", "ms")
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
        self.ai_project = take("ai_project", None)
        self.user_name = take("user_name", None)
        self.domain_id = take("domain_id", None)
        self.source = take("source", None)
        self.api_version = take("api_version", None)
        self.is_valid = take("is_valid", None)
        self.state = take("state", None)
        value = take("tags", None)
        self.tags = [] if value is None else value
        value = take("attr_list", None)
        self.attr_list = [] if value is None else value
        self.version_num = take("version_num", None)
        self.size = take("size", None)
        self.create_time = take("create_time", None)
        self.update_time = take("update_time", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.algorithm_tag import AlgorithmTag


@attrs.define(kw_only=True, repr=False)
class AlgorithmMetadata(Model):
    """Id, name and other things that describe an algorithm."""

    id: int | str
    """Id that the service gave, a UUID."""
    name: str | None | Unset = UNSET
    """Name, as given."""
    description: str | None | Unset = UNSET
    """Description, as given."""
    workspace_id: str | None | Unset = UNSET
    """Workspace that the algorithm belongs to; `0` is the default workspace."""
    ai_project: str | None | Unset = UNSET
    """A grouping that the service has given up; always `default-ai-project`."""
    user_name: str | None | Unset = UNSET
    """Who stored the algorithm; often empty."""
    domain_id: str | None | Unset = UNSET
    """Account of that user."""
    source: str | None | Unset = UNSET
    """Where the algorithm comes from.
    Known values: custom.
    """
    api_version: str | None | Unset = UNSET
    """Tells algorithms of the old API from those of this one."""
    is_valid: bool | str | None | Unset = UNSET
    """Whether jobs can use the algorithm."""
    state: str | None | Unset = UNSET
    """State of the algorithm; seen empty only."""
    tags: list[AlgorithmTag] | None | Unset = UNSET
    """Marks of the algorithm."""
    attr_list: list[str] | None | Unset = UNSET
    """Attributes of the algorithm."""
    version_num: int | None | Unset = UNSET
    """Number of versions."""
    size: int | None | Unset = UNSET
    """Size of the code in bytes."""
    create_time: int | None | Unset = UNSET
    """When the algorithm was stored, in milliseconds since 1970."""
    update_time: int | None | Unset = UNSET
    """When it was changed last, in milliseconds since 1970; 0 for never."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("id", "id"),
        ("name", "name"),
        ("description", "description"),
        ("workspace_id", "workspace_id"),
        ("ai_project", "ai_project"),
        ("user_name", "user_name"),
        ("domain_id", "domain_id"),
        ("source", "source"),
        ("api_version", "api_version"),
        ("is_valid", "is_valid"),
        ("state", "state"),
        ("tags", "tags"),
        ("attr_list", "attr_list"),
        ("version_num", "version_num"),
        ("size", "size"),
        ("create_time", "create_time"),
        ("update_time", "update_time"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.id = take("id", UNSET)
        self.name = take("name", UNSET)
        self.description = take("description", UNSET)
        self.workspace_id = take("workspace_id", UNSET)
        self.ai_project = take("ai_project", UNSET)
        self.user_name = take("user_name", UNSET)
        self.domain_id = take("domain_id", UNSET)
        self.source = take("source", UNSET)
        self.api_version = take("api_version", UNSET)
        self.is_valid = take("is_valid", UNSET)
        self.state = take("state", UNSET)
        value = take("tags", UNSET)
        self.tags = (
            [models.AlgorithmTag.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.attr_list = take("attr_list", UNSET)
        self.version_num = take("version_num", UNSET)
        self.size = take("size", UNSET)
        self.create_time = take("create_time", UNSET)
        self.update_time = take("update_time", UNSET)
        self.additional_properties = rest
        return self

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.job_annotations import JobAnnotations


@attrs.define(kw_only=True, repr=False)
class JobMetadata(Model):
    """Id, name and other things that describe a job."""

    id: str
    """Id that the service gave; mostly a UUID, but not always with dashes."""
    name: str | None | Unset = UNSET
    """Name, as given."""
    workspace_id: str | None | Unset = UNSET
    """Workspace that the job belongs to; `0` is the default workspace."""
    description: str | None | Unset = UNSET
    """Description, as given."""
    create_time: int | None | Unset = UNSET
    """When the job was created, in milliseconds since 1970."""
    user_name: str | None | Unset = UNSET
    """Who created the job; empty in answers to creation."""
    ai_project: str | None | Unset = UNSET
    """A grouping that the service has given up; always `default-ai-project`."""
    annotations: JobAnnotations | None | Unset = UNSET
    """Switches of advanced functions; the service adds keys such as `key_task`."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("id", "id"),
        ("name", "name"),
        ("workspace_id", "workspace_id"),
        ("description", "description"),
        ("create_time", "create_time"),
        ("user_name", "user_name"),
        ("ai_project", "ai_project"),
        ("annotations", "annotations"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.id = take("id", UNSET)
        self.name = take("name", UNSET)
        self.workspace_id = take("workspace_id", UNSET)
        self.description = take("description", UNSET)
        self.create_time = take("create_time", UNSET)
        self.user_name = take("user_name", UNSET)
        self.ai_project = take("ai_project", UNSET)
        value = take("annotations", UNSET)
        self.annotations = models.JobAnnotations.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

# Generated from openapi/iam by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.links import Links
    from ..models.project import Project


@attrs.define(kw_only=True, repr=False)
class ProjectList(Model):
    """Projects that the user can enter."""

    projects: list[Project]
    """One entry per project."""
    links: Links | None | Unset = UNSET
    """Addresses of this list."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("projects", "projects"),
        ("links", "links"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("projects", UNSET)
        self.projects = (
            [models.Project.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        value = take("links", UNSET)
        self.links = models.Links.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

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


@attrs.define(kw_only=True, repr=False)
class Project(Model):
    """A project, the part of an account that lies in one region."""

    id: str
    """Id of the project, as it stands in the paths of ModelArts."""
    name: str
    """Name, such as `eu-de`: that of the region."""
    description: str | None | Unset = UNSET
    """Explanation for people."""
    domain_id: str | None | Unset = UNSET
    """Account that owns the project."""
    parent_id: str | None | Unset = UNSET
    """Project above this one, or the account."""
    is_domain: bool | None | Unset = UNSET
    """Whether this entry stands for an account."""
    enabled: bool | None | Unset = UNSET
    """Whether the project can be used."""
    links: Links | None | Unset = UNSET
    """Addresses of the project."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("id", "id"),
        ("name", "name"),
        ("description", "description"),
        ("domain_id", "domain_id"),
        ("parent_id", "parent_id"),
        ("is_domain", "is_domain"),
        ("enabled", "enabled"),
        ("links", "links"),
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
        self.domain_id = take("domain_id", UNSET)
        self.parent_id = take("parent_id", UNSET)
        self.is_domain = take("is_domain", UNSET)
        self.enabled = take("enabled", UNSET)
        value = take("links", UNSET)
        self.links = models.Links.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

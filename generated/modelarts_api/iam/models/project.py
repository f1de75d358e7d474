# Generated from openapi/iam by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class Project(ResponseModel):
    """A project, the part of an account that lies in one region."""

    id: str = attrs.field(default=None)
    """Id of the project, as it stands in the paths of ModelArts."""
    name: str = attrs.field(default=None)
    """Name, such as `eu-de`: that of the region."""
    description: str = attrs.field(default=None)
    """Description of the project for readers."""
    domain_id: str = attrs.field(default=None)
    """Account that owns the project."""
    parent_id: str = attrs.field(default=None)
    """Project above this one, or the account."""
    is_domain: bool = attrs.field(default=None)
    """Whether this entry stands for an account."""
    enabled: bool = attrs.field(default=None)
    """Whether the project can be used."""
    links: _models.Links = attrs.field(default=None)
    """Address of this project in the API."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.id = take("id", None)
        self.name = take("name", None)
        self.description = take("description", None)
        self.domain_id = take("domain_id", None)
        self.parent_id = take("parent_id", None)
        self.is_domain = take("is_domain", None)
        self.enabled = take("enabled", None)
        value = take("links", None)
        self.links = _models.Links.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        self._received = src_dict
        return self

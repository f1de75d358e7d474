# Generated from openapi/iam by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class Domain(ResponseModel):
    """An account; OpenStack calls it a domain."""

    id: str = attrs.field(default=None)
    """Id of the account."""
    name: str = attrs.field(default=None)
    """Name of the account."""
    description: str | None = None
    """Description of the account for readers."""
    enabled: bool | None = None
    """Whether the account can be used."""
    links: _models.Links | None = None
    """Address of this account in the API."""
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
        self.enabled = take("enabled", None)
        value = take("links", None)
        self.links = _models.Links.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        self._received = src_dict
        return self

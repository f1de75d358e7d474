# Generated from openapi/iam by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.catalog_endpoint import CatalogEndpoint


@attrs.define(kw_only=True, repr=False)
class CatalogService(Model):
    """A service with its addresses."""

    id: str | None | Unset = UNSET
    """Id of the service."""
    name: str | None | Unset = UNSET
    """Name of the service."""
    type_: str | None | Unset = UNSET
    """Kind of the service, the key by which OpenStack clients look it up: `modelartsv2` and the like."""
    endpoints: list[CatalogEndpoint] | None | Unset = UNSET
    """Addresses of the service."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("id", "id"),
        ("name", "name"),
        ("type_", "type"),
        ("endpoints", "endpoints"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.id = take("id", UNSET)
        self.name = take("name", UNSET)
        self.type_ = take("type", UNSET)
        value = take("endpoints", UNSET)
        self.endpoints = (
            [models.CatalogEndpoint.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.additional_properties = rest
        return self

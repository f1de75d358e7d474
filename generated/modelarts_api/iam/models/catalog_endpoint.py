# Generated from openapi/iam by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class CatalogEndpoint(Model):
    """An address of a service."""

    id: str | None | Unset = UNSET
    """Id of the address."""
    interface: str | None | Unset = UNSET
    """Who can reach it; `public` for everybody."""
    region: str | None | Unset = UNSET
    """Region of the address; `*` for all."""
    region_id: str | None | Unset = UNSET
    """Id of the region."""
    url: str | None | Unset = UNSET
    """Base address, with the project id where the service has one in its paths."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("id", "id"),
        ("interface", "interface"),
        ("region", "region"),
        ("region_id", "region_id"),
        ("url", "url"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.id = take("id", UNSET)
        self.interface = take("interface", UNSET)
        self.region = take("region", UNSET)
        self.region_id = take("region_id", UNSET)
        self.url = take("url", UNSET)
        self.additional_properties = rest
        return self

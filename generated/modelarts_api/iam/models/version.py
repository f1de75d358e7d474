# Generated from openapi/iam by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.version_link import VersionLink
    from ..models.version_media_type import VersionMediaType


@attrs.define(kw_only=True, repr=False)
class Version(Model):
    """A version of the identity API."""

    id: str
    """Name of the version, such as `v3.6`."""
    status: str | None | Unset = UNSET
    """Whether it can be relied on; `stable` for yes."""
    updated: str | None | Unset = UNSET
    """When it changed last, in UTC."""
    links: list[VersionLink] | None | Unset = UNSET
    """Where it is."""
    media_types: list[VersionMediaType] | None | Unset = UNSET
    """Formats that it speaks."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("id", "id"),
        ("status", "status"),
        ("updated", "updated"),
        ("links", "links"),
        ("media_types", "media-types"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.id = take("id", UNSET)
        self.status = take("status", UNSET)
        self.updated = take("updated", UNSET)
        value = take("links", UNSET)
        self.links = (
            [models.VersionLink.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        value = take("media-types", UNSET)
        self.media_types = (
            [models.VersionMediaType.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.additional_properties = rest
        return self

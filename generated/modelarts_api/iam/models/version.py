# Generated from openapi/iam by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class Version(ResponseModel):
    """A version of the identity API."""

    id: str = attrs.field(default=None)
    """Name of the version, such as `v3.6`."""
    status: str = attrs.field(default=None)
    """Whether it can be relied on; `stable` for yes."""
    updated: str = attrs.field(default=None)
    """When it changed last, in UTC."""
    links: list[_models.VersionLink] = attrs.field(factory=list)
    """Addresses at which this version of the API is found."""
    media_types: list[_models.VersionMediaType] = attrs.field(factory=list)
    """Media types that this version accepts and returns."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    _names: ClassVar[Mapping[str, str]] = {
        "media_types": "media-types",
    }

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.id = take("id", None)
        self.status = take("status", None)
        self.updated = take("updated", None)
        value = take("links", None)
        self.links = (
            [_models.VersionLink.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        value = take("media-types", None)
        self.media_types = (
            [_models.VersionMediaType.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        self.additional_properties = rest
        self._received = src_dict
        return self

# Generated from openapi/iam by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class Region(ResponseModel):
    """A region of the cloud."""

    id: str = attrs.field(default=None)
    """Id of the region, such as `eu-de`."""
    description: str = attrs.field(default=None)
    """Description of the region for readers."""
    parent_region_id: str | None = attrs.field(default=None)
    """Without a meaning; null."""
    locales: _models.RegionLocales = attrs.field(factory=dict)
    """Names of the region, by language.
    Known keys: en-us, pt-br, es-us, es-es.
    """
    links: _models.Links = attrs.field(default=None)
    """Address of this region in the API."""
    type_: str | None = None
    """Who can use it.
    Known values: public, private.
    """
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    _names: ClassVar[Mapping[str, str]] = {
        "type_": "type",
    }

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.id = take("id", None)
        self.description = take("description", None)
        self.parent_region_id = take("parent_region_id", None)
        value = take("locales", None)
        self.locales = {} if value is None else value
        value = take("links", None)
        self.links = _models.Links.from_dict(value) if isinstance(value, dict) else value
        self.type_ = take("type", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

# Generated from openapi/iam by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class CatalogService(ResponseModel):
    """A service with its addresses."""

    id: str | None = None
    """Id of the service."""
    name: str | None = None
    """Name of the service."""
    type_: str | None = None
    """Kind of the service, the key by which OpenStack clients look it up: `modelartsv2` and the like."""
    endpoints: list[_models.CatalogEndpoint] = attrs.field(factory=list)
    """Endpoints of the service, one per region and interface."""
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
        self.name = take("name", None)
        self.type_ = take("type", None)
        value = take("endpoints", None)
        self.endpoints = (
            [_models.CatalogEndpoint.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        self.additional_properties = rest
        self._received = src_dict
        return self

# Generated from openapi/iam by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class CatalogEndpoint(ResponseModel):
    """An address of a service."""

    id: str | None = None
    """Id of the endpoint."""
    interface: str | None = None
    """Who can reach it; `public` for everybody."""
    region: str | None = None
    """Region of the address; `*` for all."""
    region_id: str | None = None
    """Id of the region that the endpoint serves."""
    url: str | None = None
    """Base address, with the project id where the service has one in its paths."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.id = take("id", None)
        self.interface = take("interface", None)
        self.region = take("region", None)
        self.region_id = take("region_id", None)
        self.url = take("url", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

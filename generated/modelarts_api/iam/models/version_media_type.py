# Generated from openapi/iam by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class VersionMediaType(ResponseModel):
    """A media type that a version of the API accepts and returns."""

    base: str = attrs.field(default=None)
    """General media type, such as `application/json`."""
    type_: str = attrs.field(default=None)
    """Exact media type with the version, such as `application/vnd.openstack.identity-v3+json`."""
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
        self.base = take("base", None)
        self.type_ = take("type", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

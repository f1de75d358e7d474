# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class AssetModel(ResponseModel):
    """The asset that the model of a job becomes."""

    name: str | None = None
    """Name of the model."""
    version: str | None = None
    """Version of the model."""
    type_: str | None = None
    """Kind of the model."""
    code: str | None = None
    """Code of the model."""
    desc: str | None = None
    """Description of the model."""
    series: str | None = None
    """Series of the model."""
    id: str | None = None
    """Id of the model."""
    location: str | None = None
    """Address that the model is published at."""
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
        self.name = take("name", None)
        self.version = take("version", None)
        self.type_ = take("type", None)
        self.code = take("code", None)
        self.desc = take("desc", None)
        self.series = take("series", None)
        self.id = take("id", None)
        self.location = take("location", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

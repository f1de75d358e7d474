# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Required, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset


@attrs.define(kw_only=True, repr=False, eq=False)
class AssetModelRequest(Model):
    """The asset that the model of a job becomes."""

    name: str
    """Name of the model."""
    version: str
    """Version of the model."""
    type_: str
    """Kind of the model."""
    code: str | Unset = UNSET
    """Code of the model."""
    desc: str | Unset = UNSET
    """Description of the model."""
    series: str | Unset = UNSET
    """Series of the model."""
    model_desc: str | Unset = UNSET
    """Description of the asset."""
    parent_asset_id: str | Unset = UNSET
    """Id of the asset that it descends from."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    _names: ClassVar[Mapping[str, str]] = {
        "type_": "type",
    }

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.name = take("name", UNSET)
        self.version = take("version", UNSET)
        self.type_ = take("type", UNSET)
        self.code = take("code", UNSET)
        self.desc = take("desc", UNSET)
        self.series = take("series", UNSET)
        self.model_desc = take("model_desc", UNSET)
        self.parent_asset_id = take("parent_asset_id", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> AssetModelRequestDict: ...


class AssetModelRequestDict(TypedDict, total=False):
    """`AssetModelRequest` as a dict."""

    name: Required[str]
    version: Required[str]
    type: Required[str]
    code: str
    desc: str
    series: str
    model_desc: str
    parent_asset_id: str

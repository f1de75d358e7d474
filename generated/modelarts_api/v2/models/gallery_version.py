# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class GalleryVersion(ResponseModel):
    """A version of an asset in AI Gallery."""

    content_id: str | None = attrs.field(default=None)
    """Id of the asset."""
    version_id: str | None = None
    """Id of the version."""
    version_num: str | None = None
    """Number of the version."""
    content_uri: str | None = None
    """Address of the asset."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.content_id = take("content_id", None)
        self.version_id = take("version_id", None)
        self.version_num = take("version_num", None)
        self.content_uri = take("content_uri", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

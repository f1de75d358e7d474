# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class PublishAlgorithmRequest(Model):
    """An algorithm that becomes a version of an asset in AI Gallery."""

    content_id: str | Unset = UNSET
    """Id of the asset."""
    content_info: _models.GalleryVersionRequest | Unset = UNSET
    """Number and text of the version."""
    algorithm: _models.GalleryAlgorithmRequest | Unset = UNSET
    """The algorithm to publish."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.content_id = take("content_id", UNSET)
        value = take("content_info", UNSET)
        self.content_info = _models.GalleryVersionRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("algorithm", UNSET)
        self.algorithm = _models.GalleryAlgorithmRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> PublishAlgorithmRequestDict: ...


class PublishAlgorithmRequestDict(TypedDict, total=False):
    """`PublishAlgorithmRequest` as a dict."""

    content_id: str
    content_info: _models.GalleryVersionRequestDict
    algorithm: _models.GalleryAlgorithmRequestDict

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset


@attrs.define(kw_only=True, repr=False, eq=False)
class GalleryVersionRequest(Model):
    """The version under which an algorithm appears in AI Gallery."""

    version_num: str | Unset = UNSET
    """Number of the version."""
    desc: str | Unset = UNSET
    """What is new in the version."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.version_num = take("version_num", UNSET)
        self.desc = take("desc", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> GalleryVersionRequestDict: ...


class GalleryVersionRequestDict(TypedDict, total=False):
    """`GalleryVersionRequest` as a dict."""

    version_num: str
    desc: str

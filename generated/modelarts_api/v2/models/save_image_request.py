# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Required, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset


@attrs.define(kw_only=True, repr=False, eq=False)
class SaveImageRequest(Model):
    """Where an image of a task is stored in the image registry."""

    name: str
    """Repository in the image registry (SWR), up to 512 lower-case letters, digits, `-`, `_` and `.`."""
    namespace: str
    """Organisation of the image registry."""
    tag: str
    """Tag of the image, up to 64 letters, digits, `-`, `_` and `.`."""
    description: str | Unset = UNSET
    """Description of the image for readers, up to 512 characters."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.name = take("name", UNSET)
        self.namespace = take("namespace", UNSET)
        self.tag = take("tag", UNSET)
        self.description = take("description", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> SaveImageRequestDict: ...


class SaveImageRequestDict(TypedDict, total=False):
    """`SaveImageRequest` as a dict."""

    name: Required[str]
    namespace: Required[str]
    tag: Required[str]
    description: str

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset


@attrs.define(kw_only=True, repr=False, eq=False)
class PfsVolumeRequest(Model):
    """A parallel file system mounted into the container."""

    pfs_path: str | Unset = UNSET
    """Bucket and folder, as `/bucket/path`."""
    local_path: str | Unset = UNSET
    """Where the folder appears in the container."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.pfs_path = take("pfs_path", UNSET)
        self.local_path = take("local_path", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> PfsVolumeRequestDict: ...


class PfsVolumeRequestDict(TypedDict, total=False):
    """`PfsVolumeRequest` as a dict."""

    pfs_path: str
    local_path: str

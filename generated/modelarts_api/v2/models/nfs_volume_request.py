# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset


@attrs.define(kw_only=True, repr=False, eq=False)
class NfsVolumeRequest(Model):
    """An NFS share mounted into the container."""

    nfs_server_path: str | Unset = UNSET
    """Server and exported path, as `host:/path`."""
    local_path: str | Unset = UNSET
    """Where the share appears in the container."""
    read_only: bool | Unset = UNSET
    """Whether the container may only read."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.nfs_server_path = take("nfs_server_path", UNSET)
        self.local_path = take("local_path", UNSET)
        self.read_only = take("read_only", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> NfsVolumeRequestDict: ...


class NfsVolumeRequestDict(TypedDict, total=False):
    """`NfsVolumeRequest` as a dict."""

    nfs_server_path: str
    local_path: str
    read_only: bool

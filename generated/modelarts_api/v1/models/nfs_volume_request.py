# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Required, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset


@attrs.define(kw_only=True, repr=False, eq=False)
class NfsVolumeRequest(Model):
    """A share of a file server to be mounted in the container."""

    id: str
    """Id of the NFS share (SFS file system)."""
    src_path: str
    """Address and directory of the share, such as `192.168.8.150:/`."""
    dest_path: str
    """Absolute path at which the directory is mounted in the container."""
    read_only: bool | Unset = UNSET
    """Whether the container may only read.
    The service's default: False.
    """
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.id = take("id", UNSET)
        self.src_path = take("src_path", UNSET)
        self.dest_path = take("dest_path", UNSET)
        self.read_only = take("read_only", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> NfsVolumeRequestDict: ...


class NfsVolumeRequestDict(TypedDict, total=False):
    """`NfsVolumeRequest` as a dict."""

    id: Required[str]
    src_path: Required[str]
    dest_path: Required[str]
    read_only: bool

# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class NfsVolume(ResponseModel):
    """A share of a file server, mounted in the container."""

    id: str = attrs.field(default=None)
    """Id of the NFS share (SFS file system)."""
    src_path: str = attrs.field(default=None)
    """Address and directory of the share, such as `192.168.8.150:/`."""
    dest_path: str = attrs.field(default=None)
    """Absolute path at which the directory is mounted in the container."""
    read_only: bool | None = None
    """Whether the container may only read; false unless said otherwise."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.id = take("id", None)
        self.src_path = take("src_path", None)
        self.dest_path = take("dest_path", None)
        self.read_only = take("read_only", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

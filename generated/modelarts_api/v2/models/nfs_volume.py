# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class NfsVolume(ResponseModel):
    """An NFS share mounted into the container."""

    nfs_server_path: str | None = None
    """Server and exported path, as `host:/path`."""
    local_path: str | None = None
    """Where the share appears in the container."""
    read_only: bool | None = None
    """Whether the container may only read."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.nfs_server_path = take("nfs_server_path", None)
        self.local_path = take("local_path", None)
        self.read_only = take("read_only", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

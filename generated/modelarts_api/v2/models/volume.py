# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class Volume(ResponseModel):
    """A file system that is mounted into every task; one of `nfs`, `pfs` and `obs` describes it."""

    nfs: _models.NfsVolume | None = None
    """An NFS share that is mounted into the container."""
    pfs: _models.PfsVolume | None = None
    """A parallel file system of object storage."""
    obs: _models.ObsVolume | None = None
    """A folder of object storage."""
    nfs_server_path: str | None = None
    """Server and path of an NFS share in an older form of the response, which has no `nfs`."""
    local_path: str | None = None
    """Path in the container where that share is mounted."""
    read_only: bool | None = None
    """Whether the container may only read from that share."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("nfs", None)
        self.nfs = _models.NfsVolume.from_dict(value) if isinstance(value, dict) else value
        value = take("pfs", None)
        self.pfs = _models.PfsVolume.from_dict(value) if isinstance(value, dict) else value
        value = take("obs", None)
        self.obs = _models.ObsVolume.from_dict(value) if isinstance(value, dict) else value
        self.nfs_server_path = take("nfs_server_path", None)
        self.local_path = take("local_path", None)
        self.read_only = take("read_only", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class VolumeRequest(Model):
    """A file system that is mounted into every task; one of the three members says which."""

    nfs: _models.NfsVolumeRequest | Unset = UNSET
    """An NFS share that is mounted into the container."""
    pfs: _models.PfsVolumeRequest | Unset = UNSET
    """A parallel file system of object storage."""
    obs: _models.ObsVolumeRequest | Unset = UNSET
    """A folder of object storage."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("nfs", UNSET)
        self.nfs = _models.NfsVolumeRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("pfs", UNSET)
        self.pfs = _models.PfsVolumeRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("obs", UNSET)
        self.obs = _models.ObsVolumeRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> VolumeRequestDict: ...


class VolumeRequestDict(TypedDict, total=False):
    """`VolumeRequest` as a dict."""

    nfs: _models.NfsVolumeRequestDict
    pfs: _models.PfsVolumeRequestDict
    obs: _models.ObsVolumeRequestDict

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.nfs_volume_request import NfsVolumeRequest
    from ..models.obs_volume_request import ObsVolumeRequest
    from ..models.pfs_volume_request import PfsVolumeRequest


@attrs.define(kw_only=True, repr=False)
class VolumeRequest(Model):
    """A file system that is mounted into every task; one of the three members says which."""

    nfs: NfsVolumeRequest | Unset = UNSET
    """An NFS share."""
    pfs: PfsVolumeRequest | Unset = UNSET
    """A parallel file system of object storage."""
    obs: ObsVolumeRequest | Unset = UNSET
    """A folder of object storage."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("nfs", "nfs"),
        ("pfs", "pfs"),
        ("obs", "obs"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("nfs", UNSET)
        self.nfs = models.NfsVolumeRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("pfs", UNSET)
        self.pfs = models.PfsVolumeRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("obs", UNSET)
        self.obs = models.ObsVolumeRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

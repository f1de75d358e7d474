# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.host_path_volume_request import HostPathVolumeRequest
    from ..models.nfs_volume_request import NfsVolumeRequest


@attrs.define(kw_only=True, repr=False)
class VolumeRequest(Model):
    """A directory from elsewhere that every node is to see: one of the two members."""

    nfs: NfsVolumeRequest | Unset = UNSET
    """A share of a file server, for pools that are connected to its network."""
    host_path: HostPathVolumeRequest | Unset = UNSET
    """A directory of the node's host, for dedicated pools."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("nfs", "nfs"),
        ("host_path", "host_path"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("nfs", UNSET)
        self.nfs = models.NfsVolumeRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("host_path", UNSET)
        self.host_path = models.HostPathVolumeRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.host_path_volume import HostPathVolume
    from ..models.nfs_volume import NfsVolume


@attrs.define(kw_only=True, repr=False)
class Volume(Model):
    """A directory from elsewhere that every node sees: one of the two members is there."""

    nfs: NfsVolume | None | Unset = UNSET
    """A share of a file server."""
    host_path: HostPathVolume | None | Unset = UNSET
    """A directory of the node's host."""
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
        self.nfs = models.NfsVolume.from_dict(value) if isinstance(value, dict) else value
        value = take("host_path", UNSET)
        self.host_path = models.HostPathVolume.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

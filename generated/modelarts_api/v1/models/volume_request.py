# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class VolumeRequest(Model):
    """A directory from elsewhere that every node is to see: one of the two members."""

    nfs: _models.NfsVolumeRequest | Unset = UNSET
    """A share of a file server, for pools that are connected to its network."""
    host_path: _models.HostPathVolumeRequest | Unset = UNSET
    """A directory of the node's host, for dedicated pools."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("nfs", UNSET)
        self.nfs = _models.NfsVolumeRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("host_path", UNSET)
        self.host_path = _models.HostPathVolumeRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> VolumeRequestDict: ...


class VolumeRequestDict(TypedDict, total=False):
    """`VolumeRequest` as a dict."""

    nfs: _models.NfsVolumeRequestDict
    host_path: _models.HostPathVolumeRequestDict

# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Required, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset


@attrs.define(kw_only=True, repr=False, eq=False)
class HostPathVolumeRequest(Model):
    """A directory of the node's host to be mounted in the container."""

    src_path: str
    """Absolute path of the directory on the host."""
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
        self.src_path = take("src_path", UNSET)
        self.dest_path = take("dest_path", UNSET)
        self.read_only = take("read_only", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> HostPathVolumeRequestDict: ...


class HostPathVolumeRequestDict(TypedDict, total=False):
    """`HostPathVolumeRequest` as a dict."""

    src_path: Required[str]
    dest_path: Required[str]
    read_only: bool

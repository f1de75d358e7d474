# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class HostPathVolume(ResponseModel):
    """A directory of the node's host, mounted in the container."""

    src_path: str = attrs.field(default=None)
    """Absolute path of the directory on the host."""
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
        self.src_path = take("src_path", None)
        self.dest_path = take("dest_path", None)
        self.read_only = take("read_only", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

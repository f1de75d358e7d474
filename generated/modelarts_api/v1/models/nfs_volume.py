# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class NfsVolume(Model):
    """A share of a file server, mounted in the container."""

    id: str | None | Unset = UNSET
    """Id of the share."""
    src_path: str | None | Unset = UNSET
    """Address and directory of the share, such as `192.168.8.150:/`."""
    dest_path: str | None | Unset = UNSET
    """Directory in the container."""
    read_only: bool | None | Unset = UNSET
    """Whether the container may only read; false unless said otherwise."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("id", "id"),
        ("src_path", "src_path"),
        ("dest_path", "dest_path"),
        ("read_only", "read_only"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.id = take("id", UNSET)
        self.src_path = take("src_path", UNSET)
        self.dest_path = take("dest_path", UNSET)
        self.read_only = take("read_only", UNSET)
        self.additional_properties = rest
        return self

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class ObsVolume(Model):
    """A folder of object storage mounted into the container."""

    obs_path: str | None | Unset = UNSET
    """Bucket and folder, as `/bucket/path`."""
    local_path: str | None | Unset = UNSET
    """Where the folder appears in the container."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("obs_path", "obs_path"),
        ("local_path", "local_path"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.obs_path = take("obs_path", UNSET)
        self.local_path = take("local_path", UNSET)
        self.additional_properties = rest
        return self

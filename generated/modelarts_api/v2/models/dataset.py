# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class Dataset(Model):
    """A version of a managed dataset."""

    id: str | None | Unset = UNSET
    """Id of the dataset."""
    version_id: str | None | Unset = UNSET
    """Id of the version."""
    obs_url: str | None | Unset = UNSET
    """Folder that the service found for this version."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("id", "id"),
        ("version_id", "version_id"),
        ("obs_url", "obs_url"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.id = take("id", UNSET)
        self.version_id = take("version_id", UNSET)
        self.obs_url = take("obs_url", UNSET)
        self.additional_properties = rest
        return self

# Generated from openapi/iam by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class VersionMediaType(Model):
    """A format that a version speaks."""

    base: str | None | Unset = UNSET
    """General type."""
    type_: str | None | Unset = UNSET
    """Exact type."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("base", "base"),
        ("type_", "type"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.base = take("base", UNSET)
        self.type_ = take("type", UNSET)
        self.additional_properties = rest
        return self

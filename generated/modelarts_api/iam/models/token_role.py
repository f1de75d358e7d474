# Generated from openapi/iam by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class TokenRole(Model):
    """A right in a token."""

    id: str | None | Unset = UNSET
    """Id of the right; `0` stands for none in particular."""
    name: str | None | Unset = UNSET
    """Name of the right."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("id", "id"),
        ("name", "name"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.id = take("id", UNSET)
        self.name = take("name", UNSET)
        self.additional_properties = rest
        return self

# Generated from openapi/iam by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class VersionLink(Model):
    """Address of a version."""

    rel: str | None | Unset = UNSET
    """What the address is; `self` for the version itself."""
    href: str | None | Unset = UNSET
    """The address."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("rel", "rel"),
        ("href", "href"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.rel = take("rel", UNSET)
        self.href = take("href", UNSET)
        self.additional_properties = rest
        return self

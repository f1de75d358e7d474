# Generated from openapi/iam by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class Links(Model):
    """Addresses of a resource and of its neighbours in a list."""

    self_: str | None | Unset = UNSET
    """Address of the resource."""
    next_: str | None | Unset = UNSET
    """Next page; null for none."""
    previous: str | None | Unset = UNSET
    """Previous page; null for none."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("self_", "self"),
        ("next_", "next"),
        ("previous", "previous"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.self_ = take("self", UNSET)
        self.next_ = take("next", UNSET)
        self.previous = take("previous", UNSET)
        self.additional_properties = rest
        return self

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.flavor import Flavor


@attrs.define(kw_only=True, repr=False)
class FlavorList(Model):
    """The public flavors, all in one answer: there is no paging."""

    flavors: list[Flavor]
    """One entry per flavor."""
    total_count: int | None | Unset = UNSET
    """How many flavors `flavors` holds."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("flavors", "flavors"),
        ("total_count", "total_count"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("flavors", UNSET)
        self.flavors = (
            [models.Flavor.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.total_count = take("total_count", UNSET)
        self.additional_properties = rest
        return self

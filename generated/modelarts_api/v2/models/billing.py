# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class Billing(Model):
    """What the bill says about a flavor."""

    code: str | None | Unset = UNSET
    """Name of the flavor in the price list. It may differ from `flavor_id`."""
    unit_num: int | None | Unset = UNSET
    """Number of charged units per node."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("code", "code"),
        ("unit_num", "unit_num"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.code = take("code", UNSET)
        self.unit_num = take("unit_num", UNSET)
        self.additional_properties = rest
        return self

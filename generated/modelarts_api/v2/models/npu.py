# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class Npu(Model):
    """Neural processors of a node."""

    unit_num: int | str | None | Unset = UNSET
    """Number of cards."""
    product_name: str | None | Unset = UNSET
    """Model of the card."""
    memory: str | None | Unset = UNSET
    """Memory of one card with its unit, such as `32GB`."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("unit_num", "unit_num"),
        ("product_name", "product_name"),
        ("memory", "memory"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.unit_num = take("unit_num", UNSET)
        self.product_name = take("product_name", UNSET)
        self.memory = take("memory", UNSET)
        self.additional_properties = rest
        return self

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class Cpu(Model):
    """Processor cores of a node."""

    arch: str | None | Unset = UNSET
    """Instruction set.
    Known values: x86.
    """
    core_num: int | None | Unset = UNSET
    """Number of cores."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("arch", "arch"),
        ("core_num", "core_num"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.arch = take("arch", UNSET)
        self.core_num = take("core_num", UNSET)
        self.additional_properties = rest
        return self

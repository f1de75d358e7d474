# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class RequiredAffinity(Model):
    """Nodes that have to stand close to each other."""

    affinity_type: str | None | Unset = UNSET
    """What they share: a cabinet or a supernode.
    Known values: cabinet, hyperinstance.
    """
    affinity_group_size: int | None | Unset = UNSET
    """Tasks per supernode; needed with `hyperinstance`, where the service falls back to 1."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("affinity_type", "affinity_type"),
        ("affinity_group_size", "affinity_group_size"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.affinity_type = take("affinity_type", UNSET)
        self.affinity_group_size = take("affinity_group_size", UNSET)
        self.additional_properties = rest
        return self

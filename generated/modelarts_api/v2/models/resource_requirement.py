# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class ResourceRequirement(Model):
    """A restriction on the flavors that suit an algorithm."""

    key: str | None | Unset = UNSET
    """What is restricted: the processor (`flavor_type`), several cards in a node (`device_distributed_mode`) or
    several nodes (`host_distributed_mode`).
    Known values: flavor_type, device_distributed_mode, host_distributed_mode.
    """
    value: list[str] | None | Unset = UNSET
    """`CPU` or `GPU` for the processor; `multiple` or `singular` for the other two."""
    values: list[str] | None | Unset = UNSET
    """The same under the request's name."""
    operator: str | None | Unset = UNSET
    """Relation between key and values.
    Known values: in.
    """
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("key", "key"),
        ("value", "value"),
        ("values", "values"),
        ("operator", "operator"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.key = take("key", UNSET)
        self.value = take("value", UNSET)
        self.values = take("values", UNSET)
        self.operator = take("operator", UNSET)
        self.additional_properties = rest
        return self

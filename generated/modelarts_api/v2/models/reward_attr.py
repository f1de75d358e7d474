# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class RewardAttr(Model):
    """A metric that tells good trials from bad ones."""

    name: str | None | Unset = UNSET
    """Name of the metric."""
    mode: str | None | Unset = UNSET
    """Whether a larger (`max`) or a smaller (`min`) value is better.
    Known values: max, min.
    """
    regex: str | None | Unset = UNSET
    """Regular expression that finds the metric's value in the log."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("name", "name"),
        ("mode", "mode"),
        ("regex", "regex"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.name = take("name", UNSET)
        self.mode = take("mode", UNSET)
        self.regex = take("regex", UNSET)
        self.additional_properties = rest
        return self

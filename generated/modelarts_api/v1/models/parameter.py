# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class Parameter(Model):
    """A hyperparameter and its value."""

    label: str | None | Unset = UNSET
    """Name of the hyperparameter."""
    value: bool | float | str | None | Unset = UNSET
    """Value of the hyperparameter."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("label", "label"),
        ("value", "value"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.label = take("label", UNSET)
        self.value = take("value", UNSET)
        self.additional_properties = rest
        return self

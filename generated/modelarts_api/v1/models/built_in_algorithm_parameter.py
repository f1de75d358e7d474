# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class BuiltInAlgorithmParameter(Model):
    """A hyperparameter of a built-in algorithm."""

    label: str | None | Unset = UNSET
    """Name of the hyperparameter."""
    value: str | None | Unset = UNSET
    """Value that it has unless it is set."""
    required: bool | None | Unset = UNSET
    """Whether a value is needed."""
    placeholder_cn: str | None | Unset = UNSET
    """Explanation in Chinese by its name, in English in the example."""
    placeholder_en: str | None | Unset = UNSET
    """Explanation in English."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("label", "label"),
        ("value", "value"),
        ("required", "required"),
        ("placeholder_cn", "placeholder_cn"),
        ("placeholder_en", "placeholder_en"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.label = take("label", UNSET)
        self.value = take("value", UNSET)
        self.required = take("required", UNSET)
        self.placeholder_cn = take("placeholder_cn", UNSET)
        self.placeholder_en = take("placeholder_en", UNSET)
        self.additional_properties = rest
        return self

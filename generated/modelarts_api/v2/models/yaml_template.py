# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class YamlTemplate(Model):
    """The templates for one purpose."""

    algorithm_type_en: str | None | Unset = UNSET
    """Purpose, as it stands in the address of a template's text.
    Known values: hpo, nas, augment, compression.
    """
    algorithm_type_zh: str | None | Unset = UNSET
    """The purpose in Chinese, or a placeholder where it was not translated."""
    algorithm_names: list[str] | None | Unset = UNSET
    """Algorithms with a template."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("algorithm_type_en", "algorithm_type_en"),
        ("algorithm_type_zh", "algorithm_type_zh"),
        ("algorithm_names", "algorithm_names"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.algorithm_type_en = take("algorithm_type_en", UNSET)
        self.algorithm_type_zh = take("algorithm_type_zh", UNSET)
        self.algorithm_names = take("algorithm_names", UNSET)
        self.additional_properties = rest
        return self

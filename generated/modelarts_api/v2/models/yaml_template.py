# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class YamlTemplate(ResponseModel):
    """The templates for one purpose."""

    algorithm_type_en: str = attrs.field(default=None)
    """Purpose, as it stands in the address of a template's text.
    Known values: hpo, nas, augment, compression.
    """
    algorithm_type_zh: str = attrs.field(default=None)
    """The purpose in Chinese, or a placeholder where it was not translated."""
    algorithm_names: list[str] = attrs.field(factory=list)
    """Names of the algorithms that have a template."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.algorithm_type_en = take("algorithm_type_en", None)
        self.algorithm_type_zh = take("algorithm_type_zh", None)
        value = take("algorithm_names", None)
        self.algorithm_names = [] if value is None else value
        self.additional_properties = rest
        self._received = src_dict
        return self

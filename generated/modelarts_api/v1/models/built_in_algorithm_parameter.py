# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class BuiltInAlgorithmParameter(ResponseModel):
    """A hyperparameter of a built-in algorithm."""

    label: str = attrs.field(default=None)
    """Name of the hyperparameter, as the boot file gets it."""
    value: str = attrs.field(default=None)
    """Value that it has unless it is set."""
    required: bool = attrs.field(default=None)
    """Whether a value is needed."""
    placeholder_cn: str = attrs.field(default=None)
    """Explanation in Chinese by its name, in English in the example."""
    placeholder_en: str = attrs.field(default=None)
    """Description of the hyperparameter in English."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.label = take("label", None)
        self.value = take("value", None)
        self.required = take("required", None)
        self.placeholder_cn = take("placeholder_cn", None)
        self.placeholder_en = take("placeholder_en", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

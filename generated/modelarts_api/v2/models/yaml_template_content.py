# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class YamlTemplateContent(ResponseModel):
    """Name and content of a YAML template."""

    file_name: str = attrs.field(default=None)
    """Name to store it under, such as `Bayes.yaml`."""
    content: str = attrs.field(default=None)
    """The YAML text, to be adapted before use."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.file_name = take("file_name", None)
        self.content = take("content", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class SubStage(ResponseModel):
    """A step within a stage."""

    name: str | None = None
    """Name of the step."""
    en_message: str | None = None
    """What happens in the step, in English."""
    zh_message: str | None = None
    """What happens in the step, in Chinese."""
    create_time: str | None = None
    """When the step began."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.name = take("name", None)
        self.en_message = take("en_message", None)
        self.zh_message = take("zh_message", None)
        self.create_time = take("create_time", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

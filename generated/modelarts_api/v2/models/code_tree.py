# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class CodeTree(ResponseModel):
    """A folder or file of the code, with what it contains."""

    name: str = attrs.field(default=None)
    """Name; that of a folder ends in `/`."""
    children: list[_models.CodeTree] | _models.CodeTree | None = None
    """What a folder contains; absent for a file."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.name = take("name", None)
        value = take("children", None)
        self.children = (
            [_models.CodeTree.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else _models.CodeTree.from_dict(value)
            if isinstance(value, dict)
            else value
        )
        self.additional_properties = rest
        self._received = src_dict
        return self

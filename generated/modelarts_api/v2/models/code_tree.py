# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models


@attrs.define(kw_only=True, repr=False)
class CodeTree(Model):
    """A folder or file of the code, with what it contains."""

    name: str | None | Unset = UNSET
    """Name; that of a folder ends in `/`."""
    children: CodeTree | list[CodeTree] | None | Unset = UNSET
    """What a folder contains; absent for a file."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("name", "name"),
        ("children", "children"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.name = take("name", UNSET)
        value = take("children", UNSET)
        self.children = (
            [models.CodeTree.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else models.CodeTree.from_dict(value)
            if isinstance(value, dict)
            else value
        )
        self.additional_properties = rest
        return self

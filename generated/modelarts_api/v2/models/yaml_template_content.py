# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class YamlTemplateContent(Model):
    """A template."""

    content: str
    """The YAML text, to be adapted before use."""
    file_name: str | None | Unset = UNSET
    """Name to store it under, such as `Bayes.yaml`."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("content", "content"),
        ("file_name", "file_name"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.content = take("content", UNSET)
        self.file_name = take("file_name", UNSET)
        self.additional_properties = rest
        return self

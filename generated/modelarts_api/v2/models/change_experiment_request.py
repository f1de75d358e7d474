# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset


@attrs.define(kw_only=True, repr=False, eq=False)
class ChangeExperimentRequest(Model):
    """What changes in an experiment."""

    name: str | Unset = UNSET
    """New name, up to 64 characters without special ones."""
    description: str | Unset = UNSET
    """New description, up to 256 characters."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.name = take("name", UNSET)
        self.description = take("description", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> ChangeExperimentRequestDict: ...


class ChangeExperimentRequestDict(TypedDict, total=False):
    """`ChangeExperimentRequest` as a dict."""

    name: str
    description: str

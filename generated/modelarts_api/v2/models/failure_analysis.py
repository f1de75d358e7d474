# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class FailureAnalysis(ResponseModel):
    """A cause of a failure, as the platform diagnosed it."""

    description: str | None = None
    """What went wrong."""
    solution: str | None = None
    """What the platform suggests to do."""
    document_link: str | None = None
    """Address of a page about it."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.description = take("description", None)
        self.solution = take("solution", None)
        self.document_link = take("document_link", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

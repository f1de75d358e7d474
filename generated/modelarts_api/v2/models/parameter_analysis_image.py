# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class ParameterAnalysisImage(ResponseModel):
    """Where the image of an analysis is."""

    file_path: str = attrs.field(default=None)
    """A PNG file in object storage, as `/bucket/key`, below the job's log path. It is a place, not a link that works
    without a key.
    """
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.file_path = take("file_path", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

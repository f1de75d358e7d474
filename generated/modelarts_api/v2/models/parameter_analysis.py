# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class ParameterAnalysis(ResponseModel):
    """How much each hyperparameter mattered for the result of a search, as a table."""

    header: list[str] = attrs.field(factory=list)
    """Names of the columns of `data`."""
    data: list[list[str | None]] = attrs.field(factory=list)
    """One row per hyperparameter: its name, then mean and standard deviation of its importance in one text, such as
    `0.2443/0.3867`.
    """
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("header", None)
        self.header = [] if value is None else value
        value = take("data", None)
        self.data = [] if value is None else value
        self.additional_properties = rest
        self._received = src_dict
        return self

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class SearchParam(ResponseModel):
    """A hyperparameter that the search varies, with its space."""

    name: str | None = None
    """Name of the hyperparameter to search."""
    param_type: str | None = None
    """Whether values come from an interval or from a list.
    Known values: continuous, discrete.
    """
    lower_bound: str | None = None
    """Smallest value of the interval."""
    upper_bound: str | None = None
    """Largest value of the interval."""
    discrete_points_num: str | None = None
    """Into how many points an interval is cut."""
    discrete_values: list[str] | str | None = None
    """The values of a list."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.name = take("name", None)
        self.param_type = take("param_type", None)
        self.lower_bound = take("lower_bound", None)
        self.upper_bound = take("upper_bound", None)
        self.discrete_points_num = take("discrete_points_num", None)
        self.discrete_values = take("discrete_values", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

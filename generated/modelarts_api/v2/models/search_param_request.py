# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class SearchParamRequest(Model):
    """A hyperparameter that the search varies, with its space: an interval, which can be cut into points, or a list.
    An empty text or list is as good as none.
    """

    name: str | Unset = UNSET
    """Name of the hyperparameter to search."""
    param_type: _models.SearchParamRequestParamType | Unset = UNSET
    """Whether values come from an interval or from a list."""
    lower_bound: str | Unset = UNSET
    """Smallest value of the interval."""
    upper_bound: str | Unset = UNSET
    """Largest value of the interval."""
    discrete_points_num: str | Unset = UNSET
    """Into how many points an interval is cut."""
    discrete_values: list[str] | Unset = UNSET
    """The values of a list, each once."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.name = take("name", UNSET)
        self.param_type = take("param_type", UNSET)
        self.lower_bound = take("lower_bound", UNSET)
        self.upper_bound = take("upper_bound", UNSET)
        self.discrete_points_num = take("discrete_points_num", UNSET)
        self.discrete_values = take("discrete_values", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> SearchParamRequestDict: ...


class SearchParamRequestDict(TypedDict, total=False):
    """`SearchParamRequest` as a dict."""

    name: str
    param_type: _models.SearchParamRequestParamType
    lower_bound: str
    upper_bound: str
    discrete_points_num: str
    discrete_values: list[str]

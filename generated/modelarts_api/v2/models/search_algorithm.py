# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class SearchAlgorithm(ResponseModel):
    """An algorithm that searches for hyperparameters; not one that trains."""

    name: str = attrs.field(default=None)
    """Name, to be used in `auto_search.algo_configs`.
    Known values: bayes_opt_search, tpe_search, anneal_search.
    """
    description: str = attrs.field(default=None)
    """Description of how the search algorithm works."""
    params: list[_models.AlgoConfigParam] = attrs.field(factory=list)
    """Settings with their default values."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.name = take("name", None)
        self.description = take("description", None)
        value = take("params", None)
        self.params = (
            [_models.AlgoConfigParam.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        self.additional_properties = rest
        self._received = src_dict
        return self

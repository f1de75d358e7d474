# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class AutoSearch(ResponseModel):
    """How hyperparameters are searched. Every number in it is written as text."""

    skip_search_params: str | None = None
    """Hyperparameters that the search leaves alone."""
    reward_attrs: list[_models.RewardAttr] = attrs.field(factory=list)
    """Metrics that the search tries to improve."""
    search_params: list[_models.SearchParam] = attrs.field(factory=list)
    """Hyperparameters that the search varies."""
    algo_configs: list[_models.AlgoConfig] = attrs.field(factory=list)
    """Search algorithms with their settings."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.skip_search_params = take("skip_search_params", None)
        value = take("reward_attrs", None)
        self.reward_attrs = (
            [_models.RewardAttr.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        value = take("search_params", None)
        self.search_params = (
            [_models.SearchParam.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        value = take("algo_configs", None)
        self.algo_configs = (
            [_models.AlgoConfig.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        self.additional_properties = rest
        self._received = src_dict
        return self

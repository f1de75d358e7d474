# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class AutoSearchRequest(Model):
    """How hyperparameters are searched. Every number in it is written as text. An empty object asks for no search."""

    skip_search_params: str | Unset = UNSET
    """Hyperparameters that the search leaves alone."""
    reward_attrs: Sequence[_models.RewardAttrRequest] | Unset = UNSET
    """Metrics that the search tries to improve."""
    search_params: Sequence[_models.SearchParamRequest] | Unset = UNSET
    """Hyperparameters that the search varies."""
    algo_configs: Sequence[_models.AlgoConfigRequest] | Unset = UNSET
    """The search algorithm with its settings."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.skip_search_params = take("skip_search_params", UNSET)
        value = take("reward_attrs", UNSET)
        self.reward_attrs = (
            [_models.RewardAttrRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        value = take("search_params", UNSET)
        self.search_params = (
            [_models.SearchParamRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        value = take("algo_configs", UNSET)
        self.algo_configs = (
            [_models.AlgoConfigRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> AutoSearchRequestDict: ...


class AutoSearchRequestDict(TypedDict, total=False):
    """`AutoSearchRequest` as a dict."""

    skip_search_params: str
    reward_attrs: Sequence[_models.RewardAttrRequestDict]
    search_params: Sequence[_models.SearchParamRequestDict]
    algo_configs: Sequence[_models.AlgoConfigRequestDict]

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.algo_config_request import AlgoConfigRequest
    from ..models.reward_attr_request import RewardAttrRequest
    from ..models.search_param_request import SearchParamRequest


@attrs.define(kw_only=True, repr=False)
class AutoSearchRequest(Model):
    """How hyperparameters are searched. Every number in it is written as text."""

    skip_search_params: str | Unset = UNSET
    """Hyperparameters that the search leaves alone."""
    reward_attrs: list[RewardAttrRequest] | Unset = UNSET
    """Metrics that the search tries to improve."""
    search_params: list[SearchParamRequest] | Unset = UNSET
    """Hyperparameters that the search varies."""
    algo_configs: list[AlgoConfigRequest] | Unset = UNSET
    """Search algorithms with their settings."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("skip_search_params", "skip_search_params"),
        ("reward_attrs", "reward_attrs"),
        ("search_params", "search_params"),
        ("algo_configs", "algo_configs"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.skip_search_params = take("skip_search_params", UNSET)
        value = take("reward_attrs", UNSET)
        self.reward_attrs = (
            [models.RewardAttrRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        value = take("search_params", UNSET)
        self.search_params = (
            [models.SearchParamRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        value = take("algo_configs", UNSET)
        self.algo_configs = (
            [models.AlgoConfigRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.additional_properties = rest
        return self

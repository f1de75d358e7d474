# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.algo_config_param import AlgoConfigParam


@attrs.define(kw_only=True, repr=False)
class SearchAlgorithm(Model):
    """An algorithm that searches for hyperparameters; not one that trains."""

    name: str | None | Unset = UNSET
    """Name, to be used in `auto_search.algo_configs`.
    Known values: bayes_opt_search, tpe_search, anneal_search.
    """
    params: list[AlgoConfigParam] | None | Unset = UNSET
    """Settings with their default values."""
    description: str | None | Unset = UNSET
    """How the algorithm works, for people."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("name", "name"),
        ("params", "params"),
        ("description", "description"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.name = take("name", UNSET)
        value = take("params", UNSET)
        self.params = (
            [models.AlgoConfigParam.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.description = take("description", UNSET)
        self.additional_properties = rest
        return self

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.search_algorithm import SearchAlgorithm


@attrs.define(kw_only=True, repr=False)
class SearchAlgorithmList(Model):
    """The algorithms that search for hyperparameters, all in one answer: there is no paging."""

    search_algo_list: list[SearchAlgorithm]
    """One entry per algorithm."""
    search_algo_count: int | None | Unset = UNSET
    """How many algorithms `search_algo_list` holds."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("search_algo_list", "search_algo_list"),
        ("search_algo_count", "search_algo_count"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("search_algo_list", UNSET)
        self.search_algo_list = (
            [models.SearchAlgorithm.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.search_algo_count = take("search_algo_count", UNSET)
        self.additional_properties = rest
        return self

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class AlgoConfigRequest(Model):
    """A search algorithm and its settings."""

    name: str | Unset = UNSET
    """Name of the search algorithm.
    Known values: bayes_opt_search, tpe_search, anneal_search.
    """
    params: Sequence[_models.AlgoConfigParamRequest] | Unset = UNSET
    """Settings of the search algorithm, by name."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.name = take("name", UNSET)
        value = take("params", UNSET)
        self.params = (
            [_models.AlgoConfigParamRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> AlgoConfigRequestDict: ...


class AlgoConfigRequestDict(TypedDict, total=False):
    """`AlgoConfigRequest` as a dict."""

    name: str
    params: Sequence[_models.AlgoConfigParamRequestDict]

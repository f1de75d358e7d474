# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class RewardAttrRequest(Model):
    """A metric by which trials are compared."""

    name: str | Unset = UNSET
    """Name of the metric that the search optimises."""
    mode: _models.RewardAttrRequestMode | Unset = UNSET
    """Whether a larger (`max`) or a smaller (`min`) value is better."""
    regex: str | Unset = UNSET
    """Regular expression that finds the metric's value in the log."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.name = take("name", UNSET)
        self.mode = take("mode", UNSET)
        self.regex = take("regex", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> RewardAttrRequestDict: ...


class RewardAttrRequestDict(TypedDict, total=False):
    """`RewardAttrRequest` as a dict."""

    name: str
    mode: _models.RewardAttrRequestMode
    regex: str

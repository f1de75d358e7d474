# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class PreferredNodesRequest(Model):
    """Nodes that a job prefers, and how much."""

    weight: int | Unset = UNSET
    """Weight of the preference, 1 to 100."""
    preference: _models.NodeTermRequest | Unset = UNSET
    """Requirements of the nodes."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.weight = take("weight", UNSET)
        value = take("preference", UNSET)
        self.preference = _models.NodeTermRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> PreferredNodesRequestDict: ...


class PreferredNodesRequestDict(TypedDict, total=False):
    """`PreferredNodesRequest` as a dict."""

    weight: int
    preference: _models.NodeTermRequestDict

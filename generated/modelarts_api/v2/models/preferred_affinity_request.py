# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class PreferredAffinityRequest(Model):
    """Which nodes a job prefers."""

    node_affinity: Sequence[_models.PreferredNodesRequest] | Unset = UNSET
    """Preferences; the weights of those that a node meets are added."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("node_affinity", UNSET)
        self.node_affinity = (
            [_models.PreferredNodesRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> PreferredAffinityRequestDict: ...


class PreferredAffinityRequestDict(TypedDict, total=False):
    """`PreferredAffinityRequest` as a dict."""

    node_affinity: Sequence[_models.PreferredNodesRequestDict]

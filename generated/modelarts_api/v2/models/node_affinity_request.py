# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Required, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class NodeAffinityRequest(Model):
    """Which nodes a job may run on."""

    node_selector_terms: Sequence[_models.NodeTermRequest]
    """Terms; a node must meet one of them."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    _names: ClassVar[Mapping[str, str]] = {
        "node_selector_terms": "nodeSelectorTerms",
    }

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("nodeSelectorTerms", UNSET)
        self.node_selector_terms = (
            [_models.NodeTermRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> NodeAffinityRequestDict: ...


class NodeAffinityRequestDict(TypedDict, total=False):
    """`NodeAffinityRequest` as a dict."""

    nodeSelectorTerms: Required[Sequence[_models.NodeTermRequestDict]]

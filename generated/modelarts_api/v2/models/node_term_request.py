# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class NodeTermRequest(Model):
    """Requirements; a node must meet all of them."""

    match_expressions: Sequence[_models.NodeRequirementRequest] | Unset = UNSET
    """Requirements of labels."""
    match_fields: Sequence[_models.NodeRequirementRequest] | Unset = UNSET
    """Requirements of fields."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    _names: ClassVar[Mapping[str, str]] = {
        "match_expressions": "matchExpressions",
        "match_fields": "matchFields",
    }

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("matchExpressions", UNSET)
        self.match_expressions = (
            [_models.NodeRequirementRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        value = take("matchFields", UNSET)
        self.match_fields = (
            [_models.NodeRequirementRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> NodeTermRequestDict: ...


class NodeTermRequestDict(TypedDict, total=False):
    """`NodeTermRequest` as a dict."""

    matchExpressions: Sequence[_models.NodeRequirementRequestDict]
    matchFields: Sequence[_models.NodeRequirementRequestDict]

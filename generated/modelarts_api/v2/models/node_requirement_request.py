# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Required, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class NodeRequirementRequest(Model):
    """A requirement of a node's labels or fields, as in Kubernetes."""

    key: str
    """Name of the label or field."""
    operator: _models.NodeRequirementRequestOperator
    """How it is compared with the values."""
    values: list[str] | Unset = UNSET
    """Values to compare with; none for `Exists` and `DoesNotExist`."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.key = take("key", UNSET)
        self.operator = take("operator", UNSET)
        self.values = take("values", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> NodeRequirementRequestDict: ...


class NodeRequirementRequestDict(TypedDict, total=False):
    """`NodeRequirementRequest` as a dict."""

    key: Required[str]
    operator: Required[_models.NodeRequirementRequestOperator]
    values: list[str]

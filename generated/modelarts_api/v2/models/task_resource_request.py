# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Required, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset


@attrs.define(kw_only=True, repr=False, eq=False)
class TaskResourceRequest(Model):
    """Machines for one kind of task."""

    node_count: int
    """Number of nodes that the task uses."""
    flavor_id: str | Unset = UNSET
    """Id of the flavor of every node of the task."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.node_count = take("node_count", UNSET)
        self.flavor_id = take("flavor_id", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> TaskResourceRequestDict: ...


class TaskResourceRequestDict(TypedDict, total=False):
    """`TaskResourceRequest` as a dict."""

    node_count: Required[int]
    flavor_id: str

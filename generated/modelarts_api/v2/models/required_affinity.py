# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class RequiredAffinity(ResponseModel):
    """How close the nodes have to be to each other."""

    affinity_type: str | None = None
    """What they share: a cabinet or a supernode.
    Known values: cabinet, hyperinstance.
    """
    affinity_group_size: int | None = None
    """Tasks per supernode; needed with `hyperinstance`, where the service falls back to 1."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.affinity_type = take("affinity_type", None)
        self.affinity_group_size = take("affinity_group_size", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

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
    """What they share: a cabinet, a supernode, or a part of the network.
    Known values: cabinet, hyperinstance, networkTopology.
    """
    affinity_group_size: int | None = None
    """Tasks per group; needed with `hyperinstance` and `networkTopology`, where the service falls back to 1."""
    job_level: str | None = None
    """Part of the network that all tasks share; with `networkTopology`.
    Known values: cluster, hyperinstanceGroup.
    """
    affinity_group_level: str | None = None
    """Part of the network that the tasks of a group share; with `networkTopology`.
    Known values: hyperinstance, slice, hyperinstanceGroup.
    """
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
        self.job_level = take("job_level", None)
        self.affinity_group_level = take("affinity_group_level", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

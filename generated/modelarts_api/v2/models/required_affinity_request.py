# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class RequiredAffinityRequest(Model):
    """How close the nodes have to be to each other."""

    affinity_type: _models.RequiredAffinityRequestAffinityType | Unset = UNSET
    """What they share: a cabinet, a supernode, or a part of the network."""
    affinity_group_size: int | Unset = UNSET
    """Tasks per group; needed with `hyperinstance` and `networkTopology`, where the service falls back to 1."""
    job_level: _models.RequiredAffinityRequestJobLevel | Unset = UNSET
    """Part of the network that all tasks share; with `networkTopology`.
    The service's default: 'cluster'.
    """
    affinity_group_level: _models.RequiredAffinityRequestAffinityGroupLevel | Unset = UNSET
    """Part of the network that the tasks of a group share; with `networkTopology`."""
    node_affinity: _models.NodeAffinityRequest | Unset = UNSET
    """Which nodes the job may run on."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.affinity_type = take("affinity_type", UNSET)
        self.affinity_group_size = take("affinity_group_size", UNSET)
        self.job_level = take("job_level", UNSET)
        self.affinity_group_level = take("affinity_group_level", UNSET)
        value = take("node_affinity", UNSET)
        self.node_affinity = _models.NodeAffinityRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> RequiredAffinityRequestDict: ...


class RequiredAffinityRequestDict(TypedDict, total=False):
    """`RequiredAffinityRequest` as a dict."""

    affinity_type: _models.RequiredAffinityRequestAffinityType
    affinity_group_size: int
    job_level: _models.RequiredAffinityRequestJobLevel
    affinity_group_level: _models.RequiredAffinityRequestAffinityGroupLevel
    node_affinity: _models.NodeAffinityRequestDict

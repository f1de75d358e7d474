# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.flavor_detail import FlavorDetail


@attrs.define(kw_only=True, repr=False)
class JobResource(Model):
    """Machines of a job."""

    policy: str | None | Unset = UNSET
    """How the machines are charged and given.
    Known values: regular, economic.
    """
    flavor_id: str | None | Unset = UNSET
    """Flavor of every node.
    Known values: modelarts.pool.visual.xlarge, modelarts.pool.visual.2xlarge, modelarts.pool.visual.4xlarge,
    modelarts.pool.visual.8xlarge.
    """
    flavor_name: str | None | Unset = UNSET
    """Label of the flavor."""
    node_count: int | None | Unset = UNSET
    """Number of nodes."""
    pool_id: str | None | Unset = UNSET
    """The dedicated pool, if any."""
    flavor_detail: FlavorDetail | None | Unset = UNSET
    """What the flavor consists of; only in the public pool."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("policy", "policy"),
        ("flavor_id", "flavor_id"),
        ("flavor_name", "flavor_name"),
        ("node_count", "node_count"),
        ("pool_id", "pool_id"),
        ("flavor_detail", "flavor_detail"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.policy = take("policy", UNSET)
        self.flavor_id = take("flavor_id", UNSET)
        self.flavor_name = take("flavor_name", UNSET)
        self.node_count = take("node_count", UNSET)
        self.pool_id = take("pool_id", UNSET)
        value = take("flavor_detail", UNSET)
        self.flavor_detail = models.FlavorDetail.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

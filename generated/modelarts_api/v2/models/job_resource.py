# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs

from ...model import Model
from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class JobResource(Model):
    """Machines of a job."""

    policy: str | None = None
    """How the machines are charged and given.
    Known values: regular, economic.
    """
    flavor_id: str = attrs.field(default=None)
    """Flavor of every node.
    Known values: modelarts.pool.visual.xlarge, modelarts.pool.visual.2xlarge, modelarts.pool.visual.4xlarge,
    modelarts.pool.visual.8xlarge.
    """
    flavor_name: str | None = None
    """Label of the flavor."""
    node_count: int = attrs.field(default=None)
    """Number of nodes."""
    pool_id: str | None = None
    """The dedicated pool, if any."""
    flavor_detail: _models.FlavorDetail = attrs.field(default=None)
    """What the flavor consists of; only in the public pool."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.policy = take("policy", None)
        self.flavor_id = take("flavor_id", None)
        self.flavor_name = take("flavor_name", None)
        self.node_count = take("node_count", None)
        self.pool_id = take("pool_id", None)
        value = take("flavor_detail", None)
        self.flavor_detail = _models.FlavorDetail.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        self._received = src_dict
        return self

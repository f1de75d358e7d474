# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class JobResource(ResponseModel):
    """Resources of a job: flavor, number of nodes and resource pool."""

    node_count: int = attrs.field(default=None)
    """Number of nodes that the job uses."""
    policy: str | None = None
    """How nodes are allocated and charged.
    Known values: regular, economic.
    """
    flavor_id: str | None = None
    """Id of the flavor of every node. In the public pool it is one of the list of flavors, such as
    `modelarts.vm.cpu.2u`; in a dedicated pool it says how many GPUs a task gets, from one
    (`modelarts.pool.visual.xlarge`) to sixteen (`modelarts.pool.visual.16xlarge`).
    """
    flavor_name: str | None = None
    """Display name of the flavor, which the service adds."""
    pool_id: str | None = None
    """The dedicated pool, if any."""
    flavor_detail: _models.FlavorDetail | None = None
    """What the flavor consists of; only in the public pool."""
    pool_name: str | None = None
    """Name of the dedicated pool."""
    pool_group_id: str | None = None
    """Id of a federation of resource pools."""
    main_container_allocated_resources: _models.AllocatedResources | None = None
    """Processors, memory and cards that each task got."""
    main_container_customized_flavor: _models.CustomizedFlavor | None = None
    """Processors, memory and cards of each task, as the request gave them."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.node_count = take("node_count", None)
        self.policy = take("policy", None)
        self.flavor_id = take("flavor_id", None)
        self.flavor_name = take("flavor_name", None)
        self.pool_id = take("pool_id", None)
        value = take("flavor_detail", None)
        self.flavor_detail = _models.FlavorDetail.from_dict(value) if isinstance(value, dict) else value
        self.pool_name = take("pool_name", None)
        self.pool_group_id = take("pool_group_id", None)
        value = take("main_container_allocated_resources", None)
        self.main_container_allocated_resources = (
            _models.AllocatedResources.from_dict(value) if isinstance(value, dict) else value
        )
        value = take("main_container_customized_flavor", None)
        self.main_container_customized_flavor = (
            _models.CustomizedFlavor.from_dict(value) if isinstance(value, dict) else value
        )
        self.additional_properties = rest
        self._received = src_dict
        return self

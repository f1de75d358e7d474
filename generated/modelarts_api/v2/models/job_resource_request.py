# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class JobResourceRequest(Model):
    """Machines of a job: a public flavor, or a dedicated pool with the share of a node that each task gets."""

    flavor_id: str | Unset = UNSET
    """Id of the flavor of every node. In the public pool it is one of the list of flavors, such as
    `modelarts.vm.cpu.2u`; in a dedicated pool with GPUs it says how many cards a task gets, from one
    (`modelarts.pool.visual.xlarge`) to sixteen (`modelarts.pool.visual.16xlarge`).
    """
    node_count: int | Unset = UNSET
    """Number of nodes, one unless given; the flavor's `max_num` is the limit."""
    pool_id: str | Unset = UNSET
    """Id of a dedicated resource pool; without it the job runs in the public pool."""
    pool_group_id: str | Unset = UNSET
    """Id of a federation of resource pools; needed for the kind `federated_pool_job`."""
    main_container_customized_flavor: _models.CustomizedFlavorRequest | Unset = UNSET
    """Processors, memory and cards of each task."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.flavor_id = take("flavor_id", UNSET)
        self.node_count = take("node_count", UNSET)
        self.pool_id = take("pool_id", UNSET)
        self.pool_group_id = take("pool_group_id", UNSET)
        value = take("main_container_customized_flavor", UNSET)
        self.main_container_customized_flavor = (
            _models.CustomizedFlavorRequest.from_dict(value) if isinstance(value, dict) else value
        )
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> JobResourceRequestDict: ...


class JobResourceRequestDict(TypedDict, total=False):
    """`JobResourceRequest` as a dict."""

    flavor_id: str
    node_count: int
    pool_id: str
    pool_group_id: str
    main_container_customized_flavor: _models.CustomizedFlavorRequestDict

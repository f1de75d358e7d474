# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class Flavor(ResponseModel):
    """A size of machine that a node of a training job can have."""

    flavor_id: str = attrs.field(default=None)
    """What `spec.resource.flavor_id` of a job has to say to get this flavor."""
    flavor_name: str = attrs.field(default=None)
    """Display name of the flavor; jobs name it by `flavor_id`."""
    flavor_type: str = attrs.field(default=None)
    """Kind of processor that counts.
    Known values: CPU, GPU.
    """
    billing: _models.Billing = attrs.field(default=None)
    """How the flavor is charged."""
    flavor_info: _models.FlavorInfo = attrs.field(default=None)
    """Processors, memory and disk of one node."""
    max_num: int | None = None
    """Most nodes of this flavor in one job. The examples print it in `flavor_info` only."""
    attributes: _models.FlavorAttributes = attrs.field(factory=dict)
    """More properties of the flavor."""
    support_engines: list[str] = attrs.field(factory=list)
    """Ids of the engines that run on this flavor."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.flavor_id = take("flavor_id", None)
        self.flavor_name = take("flavor_name", None)
        self.flavor_type = take("flavor_type", None)
        value = take("billing", None)
        self.billing = _models.Billing.from_dict(value) if isinstance(value, dict) else value
        value = take("flavor_info", None)
        self.flavor_info = _models.FlavorInfo.from_dict(value) if isinstance(value, dict) else value
        self.max_num = take("max_num", None)
        value = take("attributes", None)
        self.attributes = {} if value is None else value
        value = take("support_engines", None)
        self.support_engines = [] if value is None else value
        self.additional_properties = rest
        self._received = src_dict
        return self

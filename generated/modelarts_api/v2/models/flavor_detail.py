# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class FlavorDetail(ResponseModel):
    """The flavor of a job, repeated in the job. Only jobs in the public pool have it."""

    flavor_type: str = attrs.field(default=None)
    """Kind of processor that counts.
    Known values: CPU, GPU.
    """
    billing: _models.Billing = attrs.field(default=None)
    """How the flavor is charged."""
    flavor_info: _models.FlavorInfo = attrs.field(default=None)
    """Processors, memory and disk of one node."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.flavor_type = take("flavor_type", None)
        value = take("billing", None)
        self.billing = _models.Billing.from_dict(value) if isinstance(value, dict) else value
        value = take("flavor_info", None)
        self.flavor_info = _models.FlavorInfo.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        self._received = src_dict
        return self

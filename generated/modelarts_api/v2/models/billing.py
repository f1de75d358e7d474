# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class Billing(ResponseModel):
    """What the bill says about a flavor."""

    code: str = attrs.field(default=None)
    """Name of the flavor in the price list. It may differ from `flavor_id`."""
    unit_num: int = attrs.field(default=None)
    """Number of charged units per node."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.code = take("code", None)
        self.unit_num = take("unit_num", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

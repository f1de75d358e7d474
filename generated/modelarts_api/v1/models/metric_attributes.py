# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs

from ...model import Model


@attrs.define(kw_only=True, repr=False)
class MetricAttributes(Model):
    """Free members that describe figures, such as `class_name` and `class_id`."""

    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        self.additional_properties = rest
        return self

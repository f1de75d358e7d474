# Generated from openapi/iam by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class Links(ResponseModel):
    """Addresses of a resource and of its neighbours in a list."""

    self_: str = attrs.field(default=None)
    """Address of the resource."""
    next_: str | None = None
    """Next page; null for none."""
    previous: str | None = None
    """Previous page; null for none."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    _names: ClassVar[Mapping[str, str]] = {
        "self_": "self",
        "next_": "next",
    }

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.self_ = take("self", None)
        self.next_ = take("next", None)
        self.previous = take("previous", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

# Generated from openapi/iam by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class VersionLink(ResponseModel):
    """A link to a version of the API."""

    rel: str = attrs.field(default=None)
    """What the address is; `self` for the version itself."""
    href: str = attrs.field(default=None)
    """URL that the link leads to."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.rel = take("rel", None)
        self.href = take("href", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

# Generated from openapi/iam by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class IdentityErrorDetail(ResponseModel):
    """An error of the identity service."""

    code: int = attrs.field(default=None)
    """HTTP status code, repeated in the body."""
    title: str | None = None
    """Name of the HTTP status, such as `Unauthorized`."""
    message: str | None = None
    """Reason of the error in English."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.code = take("code", None)
        self.title = take("title", None)
        self.message = take("message", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

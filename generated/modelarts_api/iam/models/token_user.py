# Generated from openapi/iam by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class TokenUser(ResponseModel):
    """The user of a token."""

    id: str = attrs.field(default=None)
    """Id of the user."""
    name: str = attrs.field(default=None)
    """Name of the user."""
    domain: _models.TokenDomain = attrs.field(default=None)
    """Account that the user belongs to."""
    password_expires_at: str | None = None
    """When the password has to be changed; null or empty for never."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.id = take("id", None)
        self.name = take("name", None)
        value = take("domain", None)
        self.domain = _models.TokenDomain.from_dict(value) if isinstance(value, dict) else value
        self.password_expires_at = take("password_expires_at", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

# Generated from openapi/iam by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class TemporaryKeys(ResponseModel):
    """An access key and a secret key that are valid for a while."""

    access: str = attrs.field(default=None)
    """Access key (AK)."""
    secret: str = attrs.field(default=None)
    """Secret key (SK); it signs requests and is never sent."""
    securitytoken: str = attrs.field(default=None)
    """Goes into the header `X-Security-Token` of requests that are signed with the keys."""
    expires_at: str = attrs.field(default=None)
    """End of validity in UTC, such as `2017-04-17T07:55:18.575000Z`."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    _secrets: ClassVar[frozenset[str]] = frozenset(["secret", "securitytoken"])

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.access = take("access", None)
        self.secret = take("secret", None)
        self.securitytoken = take("securitytoken", None)
        self.expires_at = take("expires_at", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

# Generated from openapi/iam by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class Token(ResponseModel):
    """Validity, scope and services of a token."""

    expires_at: str = attrs.field(default=None)
    """End of validity in UTC, such as `2019-02-13T06:52:13.855000Z`; 24 hours after the login."""
    methods: list[str] = attrs.field(factory=list)
    """How the user proved who they are."""
    issued_at: str | None = None
    """Time of the login in UTC."""
    mfa_authn_at: str | None = None
    """Time of the second factor, if there was one."""
    user: _models.TokenUser | None = None
    """User that logged in, with its account."""
    project: _models.TokenProject | None = None
    """The project, if the scope is one."""
    domain: _models.TokenDomain | None = None
    """The account, if the scope is one."""
    roles: list[_models.TokenRole] = attrs.field(factory=list)
    """Rights that come with the token."""
    catalog: list[_models.CatalogService] = attrs.field(factory=list)
    """Services and where they are."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.expires_at = take("expires_at", None)
        value = take("methods", None)
        self.methods = [] if value is None else value
        self.issued_at = take("issued_at", None)
        self.mfa_authn_at = take("mfa_authn_at", None)
        value = take("user", None)
        self.user = _models.TokenUser.from_dict(value) if isinstance(value, dict) else value
        value = take("project", None)
        self.project = _models.TokenProject.from_dict(value) if isinstance(value, dict) else value
        value = take("domain", None)
        self.domain = _models.TokenDomain.from_dict(value) if isinstance(value, dict) else value
        value = take("roles", None)
        self.roles = (
            [_models.TokenRole.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        value = take("catalog", None)
        self.catalog = (
            [_models.CatalogService.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        self.additional_properties = rest
        self._received = src_dict
        return self

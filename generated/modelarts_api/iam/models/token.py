# Generated from openapi/iam by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.catalog_service import CatalogService
    from ..models.token_domain import TokenDomain
    from ..models.token_project import TokenProject
    from ..models.token_role import TokenRole
    from ..models.token_user import TokenUser


@attrs.define(kw_only=True, repr=False)
class Token(Model):
    """Validity, scope and services of a token."""

    expires_at: str
    """End of validity in UTC, such as `2019-02-13T06:52:13.855000Z`; 24 hours after the login."""
    issued_at: str | None | Unset = UNSET
    """Time of the login in UTC."""
    mfa_authn_at: str | None | Unset = UNSET
    """Time of the second factor, if there was one."""
    methods: list[str] | None | Unset = UNSET
    """How the user proved who they are."""
    user: TokenUser | None | Unset = UNSET
    """Who logged in."""
    project: TokenProject | None | Unset = UNSET
    """The project, if the scope is one."""
    domain: TokenDomain | None | Unset = UNSET
    """The account, if the scope is one."""
    roles: list[TokenRole] | None | Unset = UNSET
    """Rights that come with the token."""
    catalog: list[CatalogService] | None | Unset = UNSET
    """Services and where they are."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("expires_at", "expires_at"),
        ("issued_at", "issued_at"),
        ("mfa_authn_at", "mfa_authn_at"),
        ("methods", "methods"),
        ("user", "user"),
        ("project", "project"),
        ("domain", "domain"),
        ("roles", "roles"),
        ("catalog", "catalog"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.expires_at = take("expires_at", UNSET)
        self.issued_at = take("issued_at", UNSET)
        self.mfa_authn_at = take("mfa_authn_at", UNSET)
        self.methods = take("methods", UNSET)
        value = take("user", UNSET)
        self.user = models.TokenUser.from_dict(value) if isinstance(value, dict) else value
        value = take("project", UNSET)
        self.project = models.TokenProject.from_dict(value) if isinstance(value, dict) else value
        value = take("domain", UNSET)
        self.domain = models.TokenDomain.from_dict(value) if isinstance(value, dict) else value
        value = take("roles", UNSET)
        self.roles = (
            [models.TokenRole.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        value = take("catalog", UNSET)
        self.catalog = (
            [models.CatalogService.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.additional_properties = rest
        return self

# Generated from openapi/iam by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.token_domain import TokenDomain


@attrs.define(kw_only=True, repr=False)
class TokenUser(Model):
    """The user of a token."""

    id: str | None | Unset = UNSET
    """Id of the user."""
    name: str | None | Unset = UNSET
    """Name of the user."""
    password_expires_at: str | None | Unset = UNSET
    """When the password has to be changed; null or empty for never."""
    domain: TokenDomain | None | Unset = UNSET
    """Account of the user."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("id", "id"),
        ("name", "name"),
        ("password_expires_at", "password_expires_at"),
        ("domain", "domain"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.id = take("id", UNSET)
        self.name = take("name", UNSET)
        self.password_expires_at = take("password_expires_at", UNSET)
        value = take("domain", UNSET)
        self.domain = models.TokenDomain.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

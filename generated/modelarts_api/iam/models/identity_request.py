# Generated from openapi/iam by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET
from .. import models

if TYPE_CHECKING:
    from ..models.identity_request_methods_item import IdentityRequestMethodsItem
    from ..models.password_request import PasswordRequest


@attrs.define(kw_only=True, repr=False)
class IdentityRequest(Model):
    """How the user proves who they are."""

    methods: list[IdentityRequestMethodsItem]
    """Ways of proof; only the password is documented."""
    password: PasswordRequest
    """User and password."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("methods", "methods"),
        ("password", "password"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.methods = take("methods", UNSET)
        value = take("password", UNSET)
        self.password = models.PasswordRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

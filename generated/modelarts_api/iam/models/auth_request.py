# Generated from openapi/iam by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.identity_request import IdentityRequest
    from ..models.scope_request import ScopeRequest


@attrs.define(kw_only=True, repr=False)
class AuthRequest(Model):
    """Proof of identity and wanted scope."""

    identity: IdentityRequest
    """Proof of identity."""
    scope: ScopeRequest | Unset = UNSET
    """What the token is good for. ModelArts needs a project."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("identity", "identity"),
        ("scope", "scope"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("identity", UNSET)
        self.identity = models.IdentityRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("scope", UNSET)
        self.scope = models.ScopeRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

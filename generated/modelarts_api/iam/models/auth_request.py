# Generated from openapi/iam by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Required, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class AuthRequest(Model):
    """Proof of identity and wanted scope."""

    identity: _models.IdentityRequest
    """How the user proves its identity: by password."""
    scope: _models.ScopeRequest | Unset = UNSET
    """What the token is good for. ModelArts needs a project."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("identity", UNSET)
        self.identity = _models.IdentityRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("scope", UNSET)
        self.scope = _models.ScopeRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> AuthRequestDict: ...


class AuthRequestDict(TypedDict, total=False):
    """`AuthRequest` as a dict."""

    identity: Required[_models.IdentityRequestDict]
    scope: _models.ScopeRequestDict

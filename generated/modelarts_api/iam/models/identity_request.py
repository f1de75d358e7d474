# Generated from openapi/iam by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Required, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class IdentityRequest(Model):
    """How the user proves who they are."""

    methods: list[_models.IdentityRequestMethodsItem]
    """Ways of proof."""
    password: _models.PasswordRequest | Unset = UNSET
    """User, account and password; required with the method `password`."""
    token: _models.TokenIdRequest | Unset = UNSET
    """A token of the user; required with the method `token`."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.methods = take("methods", UNSET)
        value = take("password", UNSET)
        self.password = _models.PasswordRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("token", UNSET)
        self.token = _models.TokenIdRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> IdentityRequestDict: ...


class IdentityRequestDict(TypedDict, total=False):
    """`IdentityRequest` as a dict."""

    methods: Required[list[_models.IdentityRequestMethodsItem]]
    password: _models.PasswordRequestDict
    token: _models.TokenIdRequestDict

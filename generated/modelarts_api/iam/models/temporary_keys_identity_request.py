# Generated from openapi/iam by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Required, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class TemporaryKeysIdentityRequest(Model):
    """How the user proves who they are, for temporary keys."""

    methods: list[_models.TemporaryKeysIdentityRequestMethodsItem]
    """Ways of proof; agencies (`assume_role`) are left out here."""
    token: _models.TemporaryKeysTokenRequest | Unset = UNSET
    """The token, unless the header has it, and how long the keys are wanted."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.methods = take("methods", UNSET)
        value = take("token", UNSET)
        self.token = _models.TemporaryKeysTokenRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> TemporaryKeysIdentityRequestDict: ...


class TemporaryKeysIdentityRequestDict(TypedDict, total=False):
    """`TemporaryKeysIdentityRequest` as a dict."""

    methods: Required[list[_models.TemporaryKeysIdentityRequestMethodsItem]]
    token: _models.TemporaryKeysTokenRequestDict

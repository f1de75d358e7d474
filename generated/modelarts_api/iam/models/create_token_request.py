# Generated from openapi/iam by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Required, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class CreateTokenRequest(Model):
    """Who wants a token, and for what."""

    auth: _models.AuthRequest
    """Proof of identity and wanted scope."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("auth", UNSET)
        self.auth = _models.AuthRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> CreateTokenRequestDict: ...


class CreateTokenRequestDict(TypedDict, total=False):
    """`CreateTokenRequest` as a dict."""

    auth: Required[_models.AuthRequestDict]

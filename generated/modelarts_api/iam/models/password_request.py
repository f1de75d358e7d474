# Generated from openapi/iam by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Required, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class PasswordRequest(Model):
    """A login with user name and password."""

    user: _models.UserRequest
    """The user with its account and its password."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("user", UNSET)
        self.user = _models.UserRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> PasswordRequestDict: ...


class PasswordRequestDict(TypedDict, total=False):
    """`PasswordRequest` as a dict."""

    user: Required[_models.UserRequestDict]

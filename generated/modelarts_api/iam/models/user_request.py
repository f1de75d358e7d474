# Generated from openapi/iam by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Required, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class UserRequest(Model):
    """A user of an account, with the password."""

    password: str
    """The password, in clear text."""
    name: str | Unset = UNSET
    """Name of the user; needs the account."""
    id: str | Unset = UNSET
    """Id of the user, in place of name and account."""
    domain: _models.DomainRequest | Unset = UNSET
    """Account that the user belongs to; OpenStack calls it a domain."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    _secrets: ClassVar[frozenset[str]] = frozenset(["password"])

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.password = take("password", UNSET)
        self.name = take("name", UNSET)
        self.id = take("id", UNSET)
        value = take("domain", UNSET)
        self.domain = _models.DomainRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> UserRequestDict: ...


class UserRequestDict(TypedDict, total=False):
    """`UserRequest` as a dict."""

    password: Required[str]
    name: str
    id: str
    domain: _models.DomainRequestDict

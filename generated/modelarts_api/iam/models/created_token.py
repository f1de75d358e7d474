# Generated from openapi/iam by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET
from .. import models

if TYPE_CHECKING:
    from ..models.token import Token


@attrs.define(kw_only=True, repr=False)
class CreatedToken(Model):
    """What is known about a new token. The token itself stands in the header `X-Subject-Token`."""

    token: Token
    """Validity, scope and services of the token."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (("token", "token"),)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("token", UNSET)
        self.token = models.Token.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

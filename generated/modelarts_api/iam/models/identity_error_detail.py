# Generated from openapi/iam by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class IdentityErrorDetail(Model):
    """A refusal of the identity service."""

    code: int
    """HTTP status once more."""
    title: str | None | Unset = UNSET
    """Name of the status."""
    message: str | None | Unset = UNSET
    """The reason, in English."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("code", "code"),
        ("title", "title"),
        ("message", "message"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.code = take("code", UNSET)
        self.title = take("title", UNSET)
        self.message = take("message", UNSET)
        self.additional_properties = rest
        return self

# Generated from openapi/iam by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset


@attrs.define(kw_only=True, repr=False, eq=False)
class TemporaryKeysTokenRequest(Model):
    """A token to be exchanged for temporary keys."""

    id: str | Unset = UNSET
    """The token; the header `X-Auth-Token` goes before it."""
    duration_seconds: int | Unset = UNSET
    """How long the keys are valid, in seconds.
    The service's default: 900.
    """
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    _secrets: ClassVar[frozenset[str]] = frozenset(["id"])

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.id = take("id", UNSET)
        self.duration_seconds = take("duration_seconds", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> TemporaryKeysTokenRequestDict: ...


class TemporaryKeysTokenRequestDict(TypedDict, total=False):
    """`TemporaryKeysTokenRequest` as a dict."""

    id: str
    duration_seconds: int

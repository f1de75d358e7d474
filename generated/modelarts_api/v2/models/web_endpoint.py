# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class WebEndpoint(Model):
    """A tool with a web page that runs beside a job."""

    url: str | None | Unset = UNSET
    """Address of the page."""
    token: str | None | Unset = UNSET
    """Secret that opens the page."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("url", "url"),
        ("token", "token"),
    )
    _secrets: ClassVar[frozenset[str]] = frozenset(["token"])

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.url = take("url", UNSET)
        self.token = take("token", UNSET)
        self.additional_properties = rest
        return self

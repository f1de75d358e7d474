# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class WebEndpoint(ResponseModel):
    """A tool with a web page that runs together with a job."""

    url: str | None = None
    """URL of the tool's web page."""
    token: str | None = None
    """Secret that opens the page."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    _secrets: ClassVar[frozenset[str]] = frozenset(["token"])

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.url = take("url", None)
        self.token = take("token", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

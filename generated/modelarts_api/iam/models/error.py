# Generated from openapi/iam by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class Error(ResponseModel):
    """The error response: why a request was rejected."""

    error_code: str = attrs.field(default=None)
    """Code of the service, such as `ModelArts.2775`, or of its gateway, such as `APIG.0301`. It says more than the
    HTTP status.
    """
    error_msg: str | None = None
    """Reason of the error in English; the wording may change."""
    error_message: str | None = None
    """The reason under the name that the first API version uses."""
    error_solution: str | None = None
    """What can be done about it."""
    is_success: bool | None = None
    """False, in responses in the style of the first API version."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.error_code = take("error_code", None)
        self.error_msg = take("error_msg", None)
        self.error_message = take("error_message", None)
        self.error_solution = take("error_solution", None)
        self.is_success = take("is_success", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

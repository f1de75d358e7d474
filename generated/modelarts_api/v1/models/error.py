# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class Error(Model):
    """Why a call was refused."""

    error_code: str
    """Code of the service, such as `ModelArts.2775`, or of its gateway, such as `APIG.0301`. It tells more than the
    HTTP status.
    """
    error_msg: str | None | Unset = UNSET
    """The reason, in English."""
    error_message: str | None | Unset = UNSET
    """The reason under the name that the first API version uses."""
    error_solution: str | None | Unset = UNSET
    """What can be done about it."""
    is_success: bool | None | Unset = UNSET
    """False, in answers in the style of the first API version."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("error_code", "error_code"),
        ("error_msg", "error_msg"),
        ("error_message", "error_message"),
        ("error_solution", "error_solution"),
        ("is_success", "is_success"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.error_code = take("error_code", UNSET)
        self.error_msg = take("error_msg", UNSET)
        self.error_message = take("error_message", UNSET)
        self.error_solution = take("error_solution", UNSET)
        self.is_success = take("is_success", UNSET)
        self.additional_properties = rest
        return self

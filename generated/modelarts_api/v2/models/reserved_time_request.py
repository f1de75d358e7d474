# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Required, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class ReservedTimeRequest(Model):
    """How long a job is kept after its end."""

    time_unit: _models.ReservedTimeRequestTimeUnit
    """Unit of the duration."""
    duration: int
    """Number of units, at least 1."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.time_unit = take("time_unit", UNSET)
        self.duration = take("duration", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> ReservedTimeRequestDict: ...


class ReservedTimeRequestDict(TypedDict, total=False):
    """`ReservedTimeRequest` as a dict."""

    time_unit: Required[_models.ReservedTimeRequestTimeUnit]
    duration: Required[int]

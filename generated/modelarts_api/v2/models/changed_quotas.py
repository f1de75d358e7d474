# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class ChangedQuotas(ResponseModel):
    """The limits of a user after a change."""

    quotas: list[_models.Quota] = attrs.field(factory=list)
    """The limits."""
    user_id: str | None = None
    """Id of the user whose limits they are."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("quotas", None)
        self.quotas = (
            [_models.Quota.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        self.user_id = take("user_id", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Required, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class ChangeQuotasRequest(Model):
    """Limits of a user."""

    user_id: str
    """Id of the user whose limits they are."""
    quotas: Sequence[_models.QuotaRequest]
    """The limits."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.user_id = take("user_id", UNSET)
        value = take("quotas", UNSET)
        self.quotas = (
            [_models.QuotaRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> ChangeQuotasRequestDict: ...


class ChangeQuotasRequestDict(TypedDict, total=False):
    """`ChangeQuotasRequest` as a dict."""

    user_id: Required[str]
    quotas: Required[Sequence[_models.QuotaRequestDict]]

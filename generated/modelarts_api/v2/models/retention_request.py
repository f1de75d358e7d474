# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class RetentionRequest(Model):
    """Whether the service removes the record of a job after some time."""

    policy: _models.RetentionRequestPolicy | Unset = UNSET
    """`disabled` keeps the record, unless the user's switch `job-retention-enabled` is on; only for the kind `job`."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.policy = take("policy", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> RetentionRequestDict: ...


class RetentionRequestDict(TypedDict, total=False):
    """`RetentionRequest` as a dict."""

    policy: _models.RetentionRequestPolicy

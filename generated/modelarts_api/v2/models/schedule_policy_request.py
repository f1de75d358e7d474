# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class SchedulePolicyRequest(Model):
    """How the scheduler treats a job in a dedicated pool."""

    required_affinity: _models.RequiredAffinityRequest | Unset = UNSET
    """How close the nodes of the job have to be to each other."""
    priority: int | Unset = UNSET
    """Priority in the queue, 1 to 3; higher priorities start first."""
    preemptible: bool | Unset = UNSET
    """Whether a job of higher priority may preempt this one."""
    preferred_affinity: _models.PreferredAffinityRequest | Unset = UNSET
    """Which nodes the job prefers."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("required_affinity", UNSET)
        self.required_affinity = _models.RequiredAffinityRequest.from_dict(value) if isinstance(value, dict) else value
        self.priority = take("priority", UNSET)
        self.preemptible = take("preemptible", UNSET)
        value = take("preferred_affinity", UNSET)
        self.preferred_affinity = (
            _models.PreferredAffinityRequest.from_dict(value) if isinstance(value, dict) else value
        )
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> SchedulePolicyRequestDict: ...


class SchedulePolicyRequestDict(TypedDict, total=False):
    """`SchedulePolicyRequest` as a dict."""

    required_affinity: _models.RequiredAffinityRequestDict
    priority: int
    preemptible: bool
    preferred_affinity: _models.PreferredAffinityRequestDict

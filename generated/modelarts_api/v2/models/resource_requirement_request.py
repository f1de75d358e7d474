# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class ResourceRequirementRequest(Model):
    """A restriction on the flavors that suit an algorithm."""

    key: _models.ResourceRequirementRequestKey | Unset = UNSET
    """What is restricted: the processor (`flavor_type`), several cards in a node (`device_distributed_mode`) or
    several nodes (`host_distributed_mode`).
    """
    values: list[str] | Unset = UNSET
    """`CPU` or `GPU` for the processor; `multiple` or `singular` for the other two."""
    operator: str | Unset = UNSET
    """Relation between key and values; only `in` is known."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.key = take("key", UNSET)
        self.values = take("values", UNSET)
        self.operator = take("operator", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> ResourceRequirementRequestDict: ...


class ResourceRequirementRequestDict(TypedDict, total=False):
    """`ResourceRequirementRequest` as a dict."""

    key: _models.ResourceRequirementRequestKey
    values: list[str]
    operator: str

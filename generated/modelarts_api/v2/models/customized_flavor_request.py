# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset


@attrs.define(kw_only=True, repr=False, eq=False)
class CustomizedFlavorRequest(Model):
    """Processors, memory and cards of each task, for a flavor that the user chooses freely."""

    cpu_core_num: float | Unset = UNSET
    """Cores, more than 0."""
    mem_size: float | Unset = UNSET
    """Memory, more than 0."""
    accelerator_num: float | Unset = UNSET
    """Cards, at least 0."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.cpu_core_num = take("cpu_core_num", UNSET)
        self.mem_size = take("mem_size", UNSET)
        self.accelerator_num = take("accelerator_num", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> CustomizedFlavorRequestDict: ...


class CustomizedFlavorRequestDict(TypedDict, total=False):
    """`CustomizedFlavorRequest` as a dict."""

    cpu_core_num: float
    mem_size: float
    accelerator_num: float

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset


@attrs.define(kw_only=True, repr=False, eq=False)
class TaskReportRequest(Model):
    """What a task reports about itself."""

    type_: str | Unset = UNSET
    """Kind of the event; the page's example is `ProfilingRunning`."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    _names: ClassVar[Mapping[str, str]] = {
        "type_": "type",
    }

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.type_ = take("type", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> TaskReportRequestDict: ...


class TaskReportRequestDict(TypedDict, total=False):
    """`TaskReportRequest` as a dict."""

    type: str

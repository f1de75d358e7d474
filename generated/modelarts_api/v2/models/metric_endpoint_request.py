# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset


@attrs.define(kw_only=True, repr=False, eq=False)
class MetricEndpointRequest(Model):
    """An address in the container that returns metrics; both members, or none."""

    path: str | Unset = UNSET
    """Path of the address."""
    port: int | Unset = UNSET
    """Port of the address."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.path = take("path", UNSET)
        self.port = take("port", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> MetricEndpointRequestDict: ...


class MetricEndpointRequestDict(TypedDict, total=False):
    """`MetricEndpointRequest` as a dict."""

    path: str
    port: int

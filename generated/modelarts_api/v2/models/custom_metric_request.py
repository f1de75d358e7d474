# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class CustomMetricRequest(Model):
    """How the service collects metrics of the job itself: by a command or by HTTP."""

    exec_: _models.MetricCommandRequest | Unset = UNSET
    """Command that prints the metrics."""
    http_get: _models.MetricEndpointRequest | Unset = UNSET
    """Address that returns the metrics."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    _names: ClassVar[Mapping[str, str]] = {
        "exec_": "exec",
    }

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("exec", UNSET)
        self.exec_ = _models.MetricCommandRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("http_get", UNSET)
        self.http_get = _models.MetricEndpointRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> CustomMetricRequestDict: ...


class CustomMetricRequestDict(TypedDict, total=False):
    """`CustomMetricRequest` as a dict."""

    exec: _models.MetricCommandRequestDict
    http_get: _models.MetricEndpointRequestDict

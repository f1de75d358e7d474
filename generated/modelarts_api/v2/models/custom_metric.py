# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class CustomMetric(ResponseModel):
    """How the service collects metrics of the job itself: by a command or by HTTP."""

    exec_: _models.MetricCommand | None = None
    """Command that prints the metrics."""
    http_get: _models.MetricEndpoint | None = None
    """Address that returns the metrics."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    _names: ClassVar[Mapping[str, str]] = {
        "exec_": "exec",
    }

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("exec", None)
        self.exec_ = _models.MetricCommand.from_dict(value) if isinstance(value, dict) else value
        value = take("http_get", None)
        self.http_get = _models.MetricEndpoint.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        self._received = src_dict
        return self

# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class TrainingJobConfigList(ResponseModel):
    """One page of the stored training configurations."""

    is_success: bool = attrs.field(default=None)
    """Whether the call succeeded. False marks an error response, whatever its HTTP status."""
    config_total_count: int = attrs.field(default=None)
    """Configurations that meet the conditions, on all pages."""
    configs: list[_models.TrainingJobConfigSummary] = attrs.field(factory=list)
    """The configurations of the page."""
    error_code: str | None = None
    """Error code; absent from a successful response."""
    error_message: str | None = None
    """Reason of the error in English; absent from a successful response."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.is_success = take("is_success", None)
        self.config_total_count = take("config_total_count", None)
        value = take("configs", None)
        self.configs = (
            [_models.TrainingJobConfigSummary.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        self.error_code = take("error_code", None)
        self.error_message = take("error_message", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class Summary(ResponseModel):
    """What a job writes for, or reads into, a visualization tool."""

    log_type: str | None = None
    """Tool that the written logs are for; it makes the job a possible source of a visualization.
    Known values: tensorboard, mindstudio-insight.
    """
    log_dir: _models.SummaryLogDir | None = None
    """Where the logs are written; needed as soon as `log_type` is set."""
    data_sources: list[_models.SummaryDataSource] = attrs.field(factory=list)
    """Jobs whose logs are shown; needed when the annotations turn TensorBoard or MindStudio Insight on."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.log_type = take("log_type", None)
        value = take("log_dir", None)
        self.log_dir = _models.SummaryLogDir.from_dict(value) if isinstance(value, dict) else value
        value = take("data_sources", None)
        self.data_sources = (
            [_models.SummaryDataSource.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        self.additional_properties = rest
        self._received = src_dict
        return self

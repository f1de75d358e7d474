# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class FineTuningArtifactList(ResponseModel):
    """Models and checkpoints of a job."""

    total: int | None = attrs.field(default=None)
    """Number of entries in this response, not on all pages."""
    artifact_info: list[_models.FineTuningArtifact] = attrs.field(factory=list)
    """The models and checkpoints of this page."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.total = take("total", None)
        value = take("artifact_info", None)
        self.artifact_info = (
            [_models.FineTuningArtifact.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        self.additional_properties = rest
        self._received = src_dict
        return self

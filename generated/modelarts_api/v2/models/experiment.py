# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class Experiment(ResponseModel):
    """A named group of jobs."""

    metadata: _models.ExperimentMetadata = attrs.field(default=None)
    """Id, name and other data of the experiment."""
    statistic: _models.ExperimentStatistic | None = None
    """Counts of what the experiment holds."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("metadata", None)
        self.metadata = _models.ExperimentMetadata.from_dict(value) if isinstance(value, dict) else value
        value = take("statistic", None)
        self.statistic = _models.ExperimentStatistic.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        self._received = src_dict
        return self

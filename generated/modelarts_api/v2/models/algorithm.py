# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class Algorithm(ResponseModel):
    """An algorithm: code with its settings, stored for use in jobs."""

    metadata: _models.AlgorithmMetadata = attrs.field(default=None)
    """Id, name and other data that describe the algorithm."""
    job_config: _models.AlgorithmJobConfig = attrs.field(default=None)
    """What jobs of this algorithm run."""
    resource_requirements: list[_models.ResourceRequirement] = attrs.field(factory=list)
    """Flavors that suit the algorithm; null or empty where all do."""
    advanced_config: _models.AdvancedConfig = attrs.field(default=None)
    """Search for hyperparameters. It may come back empty although it was sent."""
    share_info: _models.ShareInfo = attrs.field(factory=dict)
    """Users that the algorithm is shared with; always empty in the examples."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("metadata", None)
        self.metadata = _models.AlgorithmMetadata.from_dict(value) if isinstance(value, dict) else value
        value = take("job_config", None)
        self.job_config = _models.AlgorithmJobConfig.from_dict(value) if isinstance(value, dict) else value
        value = take("resource_requirements", None)
        self.resource_requirements = (
            [_models.ResourceRequirement.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        value = take("advanced_config", None)
        self.advanced_config = _models.AdvancedConfig.from_dict(value) if isinstance(value, dict) else value
        value = take("share_info", None)
        self.share_info = {} if value is None else value
        self.additional_properties = rest
        self._received = src_dict
        return self

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class CreateAlgorithmRequest(Model):
    """An algorithm to be stored."""

    metadata: _models.AlgorithmMetadataRequest | Unset = UNSET
    """Name and other data that describe the algorithm."""
    job_config: _models.AlgorithmJobConfigRequest | Unset = UNSET
    """What jobs of this algorithm run."""
    resource_requirements: Sequence[_models.ResourceRequirementRequest] | Unset = UNSET
    """Flavors that suit the algorithm. Only the console acts on them: it hides the others."""
    advanced_config: _models.AdvancedConfigRequest | Unset = UNSET
    """Policy of the hyperparameter search."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("metadata", UNSET)
        self.metadata = _models.AlgorithmMetadataRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("job_config", UNSET)
        self.job_config = _models.AlgorithmJobConfigRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("resource_requirements", UNSET)
        self.resource_requirements = (
            [_models.ResourceRequirementRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        value = take("advanced_config", UNSET)
        self.advanced_config = _models.AdvancedConfigRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> CreateAlgorithmRequestDict: ...


class CreateAlgorithmRequestDict(TypedDict, total=False):
    """`CreateAlgorithmRequest` as a dict."""

    metadata: _models.AlgorithmMetadataRequestDict
    job_config: _models.AlgorithmJobConfigRequestDict
    resource_requirements: Sequence[_models.ResourceRequirementRequestDict]
    advanced_config: _models.AdvancedConfigRequestDict


class CreateAlgorithmRequestInput(TypedDict, total=False):
    """`CreateAlgorithmRequest` as a dict whose values are converted before they are sent."""

    metadata: _models.AlgorithmMetadataRequestDict
    job_config: _models.AlgorithmJobConfigRequestInput
    resource_requirements: Sequence[_models.ResourceRequirementRequestDict]
    advanced_config: _models.AdvancedConfigRequestDict

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.advanced_config_request import AdvancedConfigRequest
    from ..models.algorithm_job_config_request import AlgorithmJobConfigRequest
    from ..models.algorithm_metadata_request import AlgorithmMetadataRequest
    from ..models.resource_requirement_request import ResourceRequirementRequest


@attrs.define(kw_only=True, repr=False)
class ChangeAlgorithmRequest(Model):
    """What a stored algorithm is to become. A part that is given takes the place of the stored one as a whole; a part
    that is left out stays.
    """

    metadata: AlgorithmMetadataRequest | Unset = UNSET
    """Name and description; the id cannot be changed."""
    job_config: AlgorithmJobConfigRequest | Unset = UNSET
    """What jobs of this algorithm run from now on."""
    resource_requirements: list[ResourceRequirementRequest] | Unset = UNSET
    """Flavors that suit the algorithm. Only the console acts on them: it hides the others."""
    advanced_config: AdvancedConfigRequest | Unset = UNSET
    """Search for hyperparameters."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("metadata", "metadata"),
        ("job_config", "job_config"),
        ("resource_requirements", "resource_requirements"),
        ("advanced_config", "advanced_config"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("metadata", UNSET)
        self.metadata = models.AlgorithmMetadataRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("job_config", UNSET)
        self.job_config = models.AlgorithmJobConfigRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("resource_requirements", UNSET)
        self.resource_requirements = (
            [models.ResourceRequirementRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        value = take("advanced_config", UNSET)
        self.advanced_config = models.AdvancedConfigRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.advanced_config import AdvancedConfig
    from ..models.algorithm_job_config import AlgorithmJobConfig
    from ..models.algorithm_metadata import AlgorithmMetadata
    from ..models.resource_requirement import ResourceRequirement
    from ..models.share_info import ShareInfo


@attrs.define(kw_only=True, repr=False)
class Algorithm(Model):
    """A stored algorithm."""

    metadata: AlgorithmMetadata
    """Id, name and other things that describe the algorithm."""
    share_info: ShareInfo | None | Unset = UNSET
    """With whom the algorithm is shared; seen empty only."""
    job_config: AlgorithmJobConfig | None | Unset = UNSET
    """What jobs of this algorithm run."""
    resource_requirements: list[ResourceRequirement] | None | Unset = UNSET
    """Flavors that suit the algorithm; null or empty where all do."""
    advanced_config: AdvancedConfig | None | Unset = UNSET
    """Search for hyperparameters. It may come back empty although it was sent."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("metadata", "metadata"),
        ("share_info", "share_info"),
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
        self.metadata = models.AlgorithmMetadata.from_dict(value) if isinstance(value, dict) else value
        value = take("share_info", UNSET)
        self.share_info = models.ShareInfo.from_dict(value) if isinstance(value, dict) else value
        value = take("job_config", UNSET)
        self.job_config = models.AlgorithmJobConfig.from_dict(value) if isinstance(value, dict) else value
        value = take("resource_requirements", UNSET)
        self.resource_requirements = (
            [models.ResourceRequirement.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        value = take("advanced_config", UNSET)
        self.advanced_config = models.AdvancedConfig.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.training_job_config_summary import TrainingJobConfigSummary


@attrs.define(kw_only=True, repr=False)
class TrainingJobConfigList(Model):
    """One page of configurations."""

    is_success: bool | None | Unset = UNSET
    """Whether the call was carried out. False means that the answer is a refusal, whatever its HTTP status."""
    configs: list[TrainingJobConfigSummary] | None | Unset = UNSET
    """The configurations of the page."""
    config_total_count: int | None | Unset = UNSET
    """Configurations that meet the conditions, on all pages."""
    error_code: str | None | Unset = UNSET
    """Code of the refusal; left out of a success."""
    error_message: str | None | Unset = UNSET
    """Reason of the refusal, in English; left out of a success."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("is_success", "is_success"),
        ("configs", "configs"),
        ("config_total_count", "config_total_count"),
        ("error_code", "error_code"),
        ("error_message", "error_message"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.is_success = take("is_success", UNSET)
        value = take("configs", UNSET)
        self.configs = (
            [models.TrainingJobConfigSummary.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.config_total_count = take("config_total_count", UNSET)
        self.error_code = take("error_code", UNSET)
        self.error_message = take("error_message", UNSET)
        self.additional_properties = rest
        return self

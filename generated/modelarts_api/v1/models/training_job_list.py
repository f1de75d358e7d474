# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.training_job import TrainingJob


@attrs.define(kw_only=True, repr=False)
class TrainingJobList(Model):
    """One page of training jobs."""

    is_success: bool | None | Unset = UNSET
    """Whether the call was carried out. False means that the answer is a refusal, whatever its HTTP status."""
    jobs: list[TrainingJob] | None | Unset = UNSET
    """The jobs of the page."""
    job_total_count: int | None | Unset = UNSET
    """Jobs that meet the conditions, on all pages."""
    job_count_limit: int | None | Unset = UNSET
    """How many jobs can be created, the existing ones not counted."""
    quotas: int | None | Unset = UNSET
    """Most training jobs that the project may have."""
    error_code: str | None | Unset = UNSET
    """Code of the refusal; left out of a success."""
    error_message: str | None | Unset = UNSET
    """Reason of the refusal, in English; left out of a success."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("is_success", "is_success"),
        ("jobs", "jobs"),
        ("job_total_count", "job_total_count"),
        ("job_count_limit", "job_count_limit"),
        ("quotas", "quotas"),
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
        value = take("jobs", UNSET)
        self.jobs = (
            [models.TrainingJob.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.job_total_count = take("job_total_count", UNSET)
        self.job_count_limit = take("job_count_limit", UNSET)
        self.quotas = take("quotas", UNSET)
        self.error_code = take("error_code", UNSET)
        self.error_message = take("error_message", UNSET)
        self.additional_properties = rest
        return self

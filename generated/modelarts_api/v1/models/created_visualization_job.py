# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class CreatedVisualizationJob(Model):
    """The new job, which is about to run."""

    is_success: bool | None | Unset = UNSET
    """Whether the call was carried out. False means that the answer is a refusal, whatever its HTTP status."""
    job_id: int | str | None | Unset = UNSET
    """Id of the job; a number."""
    job_name: str | None | Unset = UNSET
    """Name of the job."""
    status: int | str | None | Unset = UNSET
    """Status of the job, 1 (initialising) as a rule."""
    create_time: int | str | None | Unset = UNSET
    """When the job was created, in milliseconds since 1970."""
    service_url: str | None | Unset = UNSET
    """Address of the tool; it appears when the job runs."""
    error_code: str | None | Unset = UNSET
    """Code of the refusal; left out of a success."""
    error_message: str | None | Unset = UNSET
    """Reason of the refusal, in English; left out of a success."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("is_success", "is_success"),
        ("job_id", "job_id"),
        ("job_name", "job_name"),
        ("status", "status"),
        ("create_time", "create_time"),
        ("service_url", "service_url"),
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
        self.job_id = take("job_id", UNSET)
        self.job_name = take("job_name", UNSET)
        self.status = take("status", UNSET)
        self.create_time = take("create_time", UNSET)
        self.service_url = take("service_url", UNSET)
        self.error_code = take("error_code", UNSET)
        self.error_message = take("error_message", UNSET)
        self.additional_properties = rest
        return self

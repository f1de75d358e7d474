# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class VisualizationJob(Model):
    """A visualization job. This answer has no `is_success`; a refusal is known by its `error_code`."""

    job_id: int | None | Unset = UNSET
    """Id of the job."""
    job_name: str | None | Unset = UNSET
    """Name of the job."""
    job_desc: str | None | Unset = UNSET
    """Explanation for people."""
    status: int | None | Unset = UNSET
    """How far the job is."""
    create_time: int | None | Unset = UNSET
    """When the job was created, in milliseconds since 1970."""
    duration: int | None | Unset = UNSET
    """Running time in milliseconds."""
    service_url: str | None | Unset = UNSET
    """Address of the tool; it appears when the job runs."""
    train_url: str | None | Unset = UNSET
    """Folder in object storage that is shown."""
    resource_id: str | None | Unset = UNSET
    """Id under which the resources are charged."""
    error_code: str | None | Unset = UNSET
    """Code of the refusal; left out of a success."""
    error_message: str | None | Unset = UNSET
    """Reason of the refusal, in English; left out of a success."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("job_id", "job_id"),
        ("job_name", "job_name"),
        ("job_desc", "job_desc"),
        ("status", "status"),
        ("create_time", "create_time"),
        ("duration", "duration"),
        ("service_url", "service_url"),
        ("train_url", "train_url"),
        ("resource_id", "resource_id"),
        ("error_code", "error_code"),
        ("error_message", "error_message"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.job_id = take("job_id", UNSET)
        self.job_name = take("job_name", UNSET)
        self.job_desc = take("job_desc", UNSET)
        self.status = take("status", UNSET)
        self.create_time = take("create_time", UNSET)
        self.duration = take("duration", UNSET)
        self.service_url = take("service_url", UNSET)
        self.train_url = take("train_url", UNSET)
        self.resource_id = take("resource_id", UNSET)
        self.error_code = take("error_code", UNSET)
        self.error_message = take("error_message", UNSET)
        self.additional_properties = rest
        return self

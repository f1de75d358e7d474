# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel
from modelarts_runtime.times import Instant, Span
from modelarts_runtime.views import StatusNumberView


@attrs.define(kw_only=True, repr=False, eq=False)
class VisualizationJob(StatusNumberView, ResponseModel):
    """A visualization job."""

    job_id: int = attrs.field(default=None)
    """Id of the job, a number."""
    job_name: str = attrs.field(default=None)
    """Name of the job, as it was given at its creation."""
    status: int | None = attrs.field(default=None)
    """Status of the job. Active: 1 initialising, 2 building the image, 4 being submitted, 7 queued, 8 running, 9 being
    cancelled, 15 being scaled, 18 review initialising, 19 under review, 20 review passed. Final: 10 completed, 11
    failed, 12 and 13 cancelled, 14 lost. Final, before it could run: 3 image not built, 5 not submitted, 16 model
    not submitted, 17 service not deployed, 21 review failed, 22 volume not mounted. Others: 0 unknown, 6 could not
    be deleted.
    Known values: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22.
    """
    create_time: int = attrs.field(default=None)
    """When the job was created, in milliseconds since 1970."""
    duration: int | None = attrs.field(default=None)
    """Time that the job has run, in milliseconds."""
    service_url: str | None = attrs.field(default=None)
    """Address of the tool; it appears when the job runs."""
    train_url: str = attrs.field(default=None)
    """Folder in object storage that is shown."""
    resource_id: str | None = attrs.field(default=None)
    """Id under which the resources are charged."""
    job_desc: str | None = None
    """Description of the job for readers."""
    remaining_duration: int | None = None
    """Time that is left until the job ends by itself; null without such a limit."""
    is_success: bool | None = None
    """Whether the request succeeded."""
    error_code: str | None = None
    """Error code; absent from a successful response."""
    error_message: str | None = None
    """Reason of the error in English; absent from a successful response."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    created_at = Instant[datetime]("create_time", "ms")
    """`create_time` as a time with its zone."""
    running_time = Span[timedelta | None]("duration", "ms")
    """`duration` as a duration."""

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.job_id = take("job_id", None)
        self.job_name = take("job_name", None)
        self.status = take("status", None)
        self.create_time = take("create_time", None)
        self.duration = take("duration", None)
        self.service_url = take("service_url", None)
        self.train_url = take("train_url", None)
        self.resource_id = take("resource_id", None)
        self.job_desc = take("job_desc", None)
        self.remaining_duration = take("remaining_duration", None)
        self.is_success = take("is_success", None)
        self.error_code = take("error_code", None)
        self.error_message = take("error_message", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class TrainingJobVersionList(ResponseModel):
    """The versions of a training job."""

    is_success: bool = attrs.field(default=None)
    """Whether the call succeeded. False marks an error response, whatever its HTTP status."""
    job_id: int = attrs.field(default=None)
    """Id of the job, a number."""
    job_name: str = attrs.field(default=None)
    """Name of the job, as it was given at its creation."""
    job_desc: str = attrs.field(default=None)
    """Description of the job for readers."""
    version_count: int = attrs.field(default=None)
    """Versions of the job, on all pages."""
    versions: list[_models.TrainingJobVersion] = attrs.field(factory=list)
    """The versions of the page."""
    error_code: str | None = None
    """Error code; absent from a successful response."""
    error_message: str | None = None
    """Reason of the error in English; absent from a successful response."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.is_success = take("is_success", None)
        self.job_id = take("job_id", None)
        self.job_name = take("job_name", None)
        self.job_desc = take("job_desc", None)
        self.version_count = take("version_count", None)
        value = take("versions", None)
        self.versions = (
            [_models.TrainingJobVersion.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        self.error_code = take("error_code", None)
        self.error_message = take("error_message", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

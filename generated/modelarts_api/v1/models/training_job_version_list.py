# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.training_job_version import TrainingJobVersion


@attrs.define(kw_only=True, repr=False)
class TrainingJobVersionList(Model):
    """The versions of a training job."""

    is_success: bool | None | Unset = UNSET
    """Whether the call was carried out. False means that the answer is a refusal, whatever its HTTP status."""
    job_id: int | None | Unset = UNSET
    """Id of the job."""
    job_name: str | None | Unset = UNSET
    """Name of the job."""
    job_desc: str | None | Unset = UNSET
    """Explanation for people."""
    version_count: int | None | Unset = UNSET
    """Versions of the job, on all pages."""
    versions: list[TrainingJobVersion] | None | Unset = UNSET
    """The versions of the page."""
    error_code: str | None | Unset = UNSET
    """Code of the refusal; left out of a success."""
    error_message: str | None | Unset = UNSET
    """Reason of the refusal, in English; left out of a success."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("is_success", "is_success"),
        ("job_id", "job_id"),
        ("job_name", "job_name"),
        ("job_desc", "job_desc"),
        ("version_count", "version_count"),
        ("versions", "versions"),
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
        self.job_desc = take("job_desc", UNSET)
        self.version_count = take("version_count", UNSET)
        value = take("versions", UNSET)
        self.versions = (
            [models.TrainingJobVersion.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.error_code = take("error_code", UNSET)
        self.error_message = take("error_message", UNSET)
        self.additional_properties = rest
        return self

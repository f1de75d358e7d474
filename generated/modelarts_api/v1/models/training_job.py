# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class TrainingJob(Model):
    """A training job in a list. Its settings belong to its versions."""

    job_id: int
    """Id of the job."""
    job_name: str | None | Unset = UNSET
    """Name of the job."""
    job_desc: str | None | Unset = UNSET
    """Explanation for people."""
    version_id: int | None | Unset = UNSET
    """Id of a version, the newest by all appearances."""
    version_count: int | None | Unset = UNSET
    """Versions of the job."""
    status: int | None | Unset = UNSET
    """Status of that version."""
    create_time: int | None | Unset = UNSET
    """When the job was created, in milliseconds since 1970."""
    duration: int | None | Unset = UNSET
    """Running time in milliseconds."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("job_id", "job_id"),
        ("job_name", "job_name"),
        ("job_desc", "job_desc"),
        ("version_id", "version_id"),
        ("version_count", "version_count"),
        ("status", "status"),
        ("create_time", "create_time"),
        ("duration", "duration"),
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
        self.version_id = take("version_id", UNSET)
        self.version_count = take("version_count", UNSET)
        self.status = take("status", UNSET)
        self.create_time = take("create_time", UNSET)
        self.duration = take("duration", UNSET)
        self.additional_properties = rest
        return self

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.job_annotations_request import JobAnnotationsRequest


@attrs.define(kw_only=True, repr=False)
class JobMetadataRequest(Model):
    """Name and other things that describe a new job."""

    name: str
    """1 to 64 letters, digits, `_` and `-`; unique in the project."""
    workspace_id: str | Unset = UNSET
    """Workspace that the job belongs to; `0` is the default workspace.
    The service's default: '0'.
    """
    description: str | Unset = UNSET
    """Up to 256 characters for people."""
    annotations: JobAnnotationsRequest | Unset = UNSET
    """Switches of advanced functions."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("name", "name"),
        ("workspace_id", "workspace_id"),
        ("description", "description"),
        ("annotations", "annotations"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.name = take("name", UNSET)
        self.workspace_id = take("workspace_id", UNSET)
        self.description = take("description", UNSET)
        value = take("annotations", UNSET)
        self.annotations = models.JobAnnotationsRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

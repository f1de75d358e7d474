# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.notification_request import NotificationRequest
    from ..models.training_config_request import TrainingConfigRequest


@attrs.define(kw_only=True, repr=False)
class CreateTrainingJobRequest(Model):
    """A training job to be started."""

    job_name: str
    """Name of the job, unique in the project."""
    config: TrainingConfigRequest
    """What to run, on what, with which data."""
    job_desc: str | Unset = UNSET
    """Explanation for people, up to 256 characters.
    The service's default: ''.
    """
    workspace_id: str | Unset = UNSET
    """Workspace that the job belongs to.
    The service's default: '0'.
    """
    notification: NotificationRequest | Unset = UNSET
    """Who is told about the job."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("job_name", "job_name"),
        ("config", "config"),
        ("job_desc", "job_desc"),
        ("workspace_id", "workspace_id"),
        ("notification", "notification"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.job_name = take("job_name", UNSET)
        value = take("config", UNSET)
        self.config = models.TrainingConfigRequest.from_dict(value) if isinstance(value, dict) else value
        self.job_desc = take("job_desc", UNSET)
        self.workspace_id = take("workspace_id", UNSET)
        value = take("notification", UNSET)
        self.notification = models.NotificationRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Required, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class CreateTrainingJobRequest(Model):
    """A training job to be started."""

    job_name: str
    """Name of the job, unique in the project."""
    config: _models.TrainingConfigRequest
    """What to run, on what, with which data."""
    job_desc: str | Unset = UNSET
    """Description of the job for readers, up to 256 characters.
    The service's default: ''.
    """
    workspace_id: str | Unset = UNSET
    """Workspace that the job belongs to.
    The service's default: '0'.
    """
    notification: _models.NotificationRequest | Unset = UNSET
    """Who is notified about the job."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.job_name = take("job_name", UNSET)
        value = take("config", UNSET)
        self.config = _models.TrainingConfigRequest.from_dict(value) if isinstance(value, dict) else value
        self.job_desc = take("job_desc", UNSET)
        self.workspace_id = take("workspace_id", UNSET)
        value = take("notification", UNSET)
        self.notification = _models.NotificationRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> CreateTrainingJobRequestDict: ...


class CreateTrainingJobRequestDict(TypedDict, total=False):
    """`CreateTrainingJobRequest` as a dict."""

    job_name: Required[str]
    config: Required[_models.TrainingConfigRequestDict]
    job_desc: str
    workspace_id: str
    notification: _models.NotificationRequestDict

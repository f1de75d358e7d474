# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Required, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class CreateVisualizationJobRequest(Model):
    """A job that serves a visualization tool for the results of a training."""

    job_name: str
    """Name of the job; unique in the project."""
    train_url: str
    """Folder in object storage that holds the logs to be shown."""
    job_desc: str | Unset = UNSET
    """Description of the job for readers, up to 256 characters.
    The service's default: ''.
    """
    job_type: str | Unset = UNSET
    """Visualization tool that the job serves.
    The service's default: 'TensorBoard'.
    Known values: TensorBoard, MindInsight.
    """
    flavor: _models.FlavorRequest | Unset = UNSET
    """Size of the machine; it can be left out."""
    schedule: Sequence[_models.ScheduleRequest] | _models.ScheduleRequest | Unset = UNSET
    """When the job stops by itself."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.job_name = take("job_name", UNSET)
        self.train_url = take("train_url", UNSET)
        self.job_desc = take("job_desc", UNSET)
        self.job_type = take("job_type", UNSET)
        value = take("flavor", UNSET)
        self.flavor = _models.FlavorRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("schedule", UNSET)
        self.schedule = (
            [_models.ScheduleRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else _models.ScheduleRequest.from_dict(value)
            if isinstance(value, dict)
            else value
        )
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> CreateVisualizationJobRequestDict: ...


class CreateVisualizationJobRequestDict(TypedDict, total=False):
    """`CreateVisualizationJobRequest` as a dict."""

    job_name: Required[str]
    train_url: Required[str]
    job_desc: str
    job_type: str
    flavor: _models.FlavorRequestDict
    schedule: Sequence[_models.ScheduleRequestDict] | _models.ScheduleRequestDict

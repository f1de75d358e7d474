# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Required, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class JobMetadataRequest(Model):
    """Name and other data that describe a new job."""

    name: str
    """1 to 64 letters, digits, `_` and `-`; unique in the project."""
    workspace_id: str | Unset = UNSET
    """Workspace that the job belongs to; `0` is the default workspace.
    The service's default: '0'.
    """
    description: str | Unset = UNSET
    """Description of the job for readers, up to 256 characters."""
    annotations: _models.JobAnnotationsRequest | Unset = UNSET
    """Settings of advanced functions, by name, such as automatic restarts."""
    training_experiment_reference: _models.ExperimentReferenceRequest | Unset = UNSET
    """Experiment that the job joins."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.name = take("name", UNSET)
        self.workspace_id = take("workspace_id", UNSET)
        self.description = take("description", UNSET)
        self.annotations = take("annotations", UNSET)
        value = take("training_experiment_reference", UNSET)
        self.training_experiment_reference = (
            _models.ExperimentReferenceRequest.from_dict(value) if isinstance(value, dict) else value
        )
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> JobMetadataRequestDict: ...


class JobMetadataRequestDict(TypedDict, total=False):
    """`JobMetadataRequest` as a dict."""

    name: Required[str]
    workspace_id: str
    description: str
    annotations: _models.JobAnnotationsRequest
    training_experiment_reference: _models.ExperimentReferenceRequestDict

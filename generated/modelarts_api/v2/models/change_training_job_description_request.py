# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class ChangeTrainingJobDescriptionRequest(Model):
    """A new description of a job."""

    description: str | Unset = UNSET
    """New description of the job, up to 256 characters; an empty text removes it."""
    metadata: _models.JobMetadataChangeRequest | Unset = UNSET
    """Settings of advanced functions."""
    spec: _models.JobSpecChangeRequest | Unset = UNSET
    """Notifications and priority."""
    endpoints: _models.JobEndpointsRequest | Unset = UNSET
    """Remote access to the running container."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.description = take("description", UNSET)
        value = take("metadata", UNSET)
        self.metadata = _models.JobMetadataChangeRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("spec", UNSET)
        self.spec = _models.JobSpecChangeRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("endpoints", UNSET)
        self.endpoints = _models.JobEndpointsRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> ChangeTrainingJobDescriptionRequestDict: ...


class ChangeTrainingJobDescriptionRequestDict(TypedDict, total=False):
    """`ChangeTrainingJobDescriptionRequest` as a dict."""

    description: str
    metadata: _models.JobMetadataChangeRequestDict
    spec: _models.JobSpecChangeRequestDict
    endpoints: _models.JobEndpointsRequestDict

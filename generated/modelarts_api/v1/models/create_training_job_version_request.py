# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Required, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class CreateTrainingJobVersionRequest(Model):
    """A further version of a job."""

    config: _models.TrainingVersionConfigRequest
    """What to run, on what, with which data."""
    job_desc: str | Unset = UNSET
    """Description of the job for readers, up to 256 characters.
    The service's default: ''.
    """
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("config", UNSET)
        self.config = _models.TrainingVersionConfigRequest.from_dict(value) if isinstance(value, dict) else value
        self.job_desc = take("job_desc", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> CreateTrainingJobVersionRequestDict: ...


class CreateTrainingJobVersionRequestDict(TypedDict, total=False):
    """`CreateTrainingJobVersionRequest` as a dict."""

    config: Required[_models.TrainingVersionConfigRequestDict]
    job_desc: str

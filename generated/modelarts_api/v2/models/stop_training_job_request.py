# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Required, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class StopTrainingJobRequest(Model):
    """What is to happen to a job."""

    action_type: _models.StopTrainingJobRequestActionType
    """`terminate` stops the job, `restart` runs it again."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.action_type = take("action_type", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> StopTrainingJobRequestDict: ...


class StopTrainingJobRequestDict(TypedDict, total=False):
    """`StopTrainingJobRequest` as a dict."""

    action_type: Required[_models.StopTrainingJobRequestActionType]

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET

if TYPE_CHECKING:
    from ..models.stop_training_job_request_action_type import StopTrainingJobRequestActionType


@attrs.define(kw_only=True, repr=False)
class StopTrainingJobRequest(Model):
    """What is to happen to a job."""

    action_type: StopTrainingJobRequestActionType
    """`terminate` stops the job; nothing else is known."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (("action_type", "action_type"),)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.action_type = take("action_type", UNSET)
        self.additional_properties = rest
        return self

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class TaskJobConfigRequest(Model):
    """Hyperparameters, channels and engine of a task."""

    parameters: Sequence[_models.ParameterRequest] | Unset = UNSET
    """Hyperparameters with their values, passed to the boot file as arguments."""
    inputs: Sequence[_models.InputRequest] | Unset = UNSET
    """Data that is brought to the task."""
    outputs: Sequence[_models.OutputRequest] | Unset = UNSET
    """Data that is taken from the task."""
    engine: _models.AlgorithmEngineRequest | Unset = UNSET
    """Preset AI framework (`engine_id`) or custom image (`image_url`) that runs the code."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("parameters", UNSET)
        self.parameters = (
            [_models.ParameterRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        value = take("inputs", UNSET)
        self.inputs = (
            [_models.InputRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        value = take("outputs", UNSET)
        self.outputs = (
            [_models.OutputRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        value = take("engine", UNSET)
        self.engine = _models.AlgorithmEngineRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> TaskJobConfigRequestDict: ...


class TaskJobConfigRequestDict(TypedDict, total=False):
    """`TaskJobConfigRequest` as a dict."""

    parameters: Sequence[_models.ParameterRequestDict]
    inputs: Sequence[_models.InputRequestDict]
    outputs: Sequence[_models.OutputRequestDict]
    engine: _models.AlgorithmEngineRequestDict


class TaskJobConfigRequestInput(TypedDict, total=False):
    """`TaskJobConfigRequest` as a dict whose values are converted before they are sent."""

    parameters: Sequence[_models.ParameterRequestInput]
    inputs: Sequence[_models.InputRequestDict]
    outputs: Sequence[_models.OutputRequestDict]
    engine: _models.AlgorithmEngineRequestDict

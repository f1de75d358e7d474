# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.algorithm_engine_request import AlgorithmEngineRequest
    from ..models.input_request import InputRequest
    from ..models.output_request import OutputRequest
    from ..models.parameter_request import ParameterRequest


@attrs.define(kw_only=True, repr=False)
class TaskJobConfigRequest(Model):
    """Hyperparameters, channels and engine of a task."""

    parameters: list[ParameterRequest] | Unset = UNSET
    """Hyperparameters and their values."""
    inputs: list[InputRequest] | Unset = UNSET
    """Data that is brought to the task."""
    outputs: list[OutputRequest] | Unset = UNSET
    """Data that is taken from the task."""
    engine: AlgorithmEngineRequest | Unset = UNSET
    """Framework or image."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("parameters", "parameters"),
        ("inputs", "inputs"),
        ("outputs", "outputs"),
        ("engine", "engine"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("parameters", UNSET)
        self.parameters = (
            [models.ParameterRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        value = take("inputs", UNSET)
        self.inputs = (
            [models.InputRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        value = take("outputs", UNSET)
        self.outputs = (
            [models.OutputRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        value = take("engine", UNSET)
        self.engine = models.AlgorithmEngineRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

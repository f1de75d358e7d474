# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class AlgorithmJobConfigRequest(Model):
    """What jobs of an algorithm run."""

    code_dir: str | Unset = UNSET
    """Folder with the code in object storage, such as `/bucket/code/`. It goes together with `boot_file`."""
    boot_file: str | Unset = UNSET
    """Python file that starts the training, given with its whole path; it has to lie below `code_dir`."""
    command: str | Unset = UNSET
    """Command line for a container that starts from a custom image."""
    parameters: Sequence[_models.ParameterRequest] | Unset = UNSET
    """Hyperparameters with default values and rules."""
    inputs: Sequence[_models.AlgorithmInputRequest] | Unset = UNSET
    """Input channels that jobs have to feed."""
    outputs: Sequence[_models.AlgorithmOutputRequest] | Unset = UNSET
    """Output channels that jobs have to give a place."""
    engine: _models.AlgorithmEngineRequest | Unset = UNSET
    """Preset AI framework (`engine_id`) or custom image (`image_url`) that runs the code."""
    parameters_customization: bool | Unset = UNSET
    """Whether jobs may add hyperparameters of their own."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.code_dir = take("code_dir", UNSET)
        self.boot_file = take("boot_file", UNSET)
        self.command = take("command", UNSET)
        value = take("parameters", UNSET)
        self.parameters = (
            [_models.ParameterRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        value = take("inputs", UNSET)
        self.inputs = (
            [_models.AlgorithmInputRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        value = take("outputs", UNSET)
        self.outputs = (
            [_models.AlgorithmOutputRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        value = take("engine", UNSET)
        self.engine = _models.AlgorithmEngineRequest.from_dict(value) if isinstance(value, dict) else value
        self.parameters_customization = take("parameters_customization", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> AlgorithmJobConfigRequestDict: ...


class AlgorithmJobConfigRequestDict(TypedDict, total=False):
    """`AlgorithmJobConfigRequest` as a dict."""

    code_dir: str
    boot_file: str
    command: str
    parameters: Sequence[_models.ParameterRequestDict]
    inputs: Sequence[_models.AlgorithmInputRequestDict]
    outputs: Sequence[_models.AlgorithmOutputRequestDict]
    engine: _models.AlgorithmEngineRequestDict
    parameters_customization: bool


class AlgorithmJobConfigRequestInput(TypedDict, total=False):
    """`AlgorithmJobConfigRequest` as a dict whose values are converted before they are sent."""

    code_dir: str
    boot_file: str
    command: str
    parameters: Sequence[_models.ParameterRequestInput]
    inputs: Sequence[_models.AlgorithmInputRequestDict]
    outputs: Sequence[_models.AlgorithmOutputRequestDict]
    engine: _models.AlgorithmEngineRequestDict
    parameters_customization: bool

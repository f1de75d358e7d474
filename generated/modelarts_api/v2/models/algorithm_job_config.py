# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class AlgorithmJobConfig(ResponseModel):
    """What jobs of an algorithm run."""

    code_dir: str | None = None
    """Folder with the code in object storage."""
    boot_file: str | None = None
    """Python file that starts the training."""
    command: str | None = None
    """Command line of a custom image; empty where there is none."""
    parameters: list[_models.Parameter] = attrs.field(factory=list)
    """Hyperparameters with default values and rules."""
    inputs: list[_models.AlgorithmInput] = attrs.field(factory=list)
    """Input channels that jobs have to feed."""
    outputs: list[_models.AlgorithmOutput] = attrs.field(factory=list)
    """Output channels that jobs have to give a place."""
    engine: _models.AlgorithmEngine | None = None
    """Preset AI framework (`engine_id`) or custom image (`image_url`) that runs the code."""
    code_tree: _models.CodeTree | list[_models.CodeTree] | None = None
    """Files of the code folder."""
    parameters_customization: bool | None = None
    """Whether jobs may add hyperparameters of their own."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.code_dir = take("code_dir", None)
        self.boot_file = take("boot_file", None)
        self.command = take("command", None)
        value = take("parameters", None)
        self.parameters = (
            [_models.Parameter.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        value = take("inputs", None)
        self.inputs = (
            [_models.AlgorithmInput.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        value = take("outputs", None)
        self.outputs = (
            [_models.AlgorithmOutput.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        value = take("engine", None)
        self.engine = _models.AlgorithmEngine.from_dict(value) if isinstance(value, dict) else value
        value = take("code_tree", None)
        self.code_tree = (
            _models.CodeTree.from_dict(value)
            if isinstance(value, dict)
            else [_models.CodeTree.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.parameters_customization = take("parameters_customization", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

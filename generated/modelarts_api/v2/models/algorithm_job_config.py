# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.algorithm_engine import AlgorithmEngine
    from ..models.algorithm_input import AlgorithmInput
    from ..models.algorithm_output import AlgorithmOutput
    from ..models.code_tree import CodeTree
    from ..models.parameter import Parameter


@attrs.define(kw_only=True, repr=False)
class AlgorithmJobConfig(Model):
    """What jobs of an algorithm run."""

    code_dir: str | None | Unset = UNSET
    """Folder with the code in object storage."""
    boot_file: str | None | Unset = UNSET
    """Python file that starts the training."""
    command: str | None | Unset = UNSET
    """Command line of a custom image; empty where there is none."""
    parameters: list[Parameter] | None | Unset = UNSET
    """Hyperparameters with default values and rules."""
    inputs: list[AlgorithmInput] | None | Unset = UNSET
    """Input channels that jobs have to feed."""
    outputs: list[AlgorithmOutput] | None | Unset = UNSET
    """Output channels that jobs have to give a place."""
    engine: AlgorithmEngine | None | Unset = UNSET
    """Framework or image."""
    code_tree: CodeTree | list[CodeTree] | None | Unset = UNSET
    """Files of the code folder."""
    parameters_customization: bool | None | Unset = UNSET
    """Whether jobs may add hyperparameters of their own."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("code_dir", "code_dir"),
        ("boot_file", "boot_file"),
        ("command", "command"),
        ("parameters", "parameters"),
        ("inputs", "inputs"),
        ("outputs", "outputs"),
        ("engine", "engine"),
        ("code_tree", "code_tree"),
        ("parameters_customization", "parameters_customization"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.code_dir = take("code_dir", UNSET)
        self.boot_file = take("boot_file", UNSET)
        self.command = take("command", UNSET)
        value = take("parameters", UNSET)
        self.parameters = (
            [models.Parameter.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        value = take("inputs", UNSET)
        self.inputs = (
            [models.AlgorithmInput.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        value = take("outputs", UNSET)
        self.outputs = (
            [models.AlgorithmOutput.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        value = take("engine", UNSET)
        self.engine = models.AlgorithmEngine.from_dict(value) if isinstance(value, dict) else value
        value = take("code_tree", UNSET)
        self.code_tree = (
            models.CodeTree.from_dict(value)
            if isinstance(value, dict)
            else [models.CodeTree.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.parameters_customization = take("parameters_customization", UNSET)
        self.additional_properties = rest
        return self

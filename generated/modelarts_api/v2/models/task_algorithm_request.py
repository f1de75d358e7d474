# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class TaskAlgorithmRequest(Model):
    """What a task of a mixed job runs."""

    job_config: _models.TaskJobConfigRequest | Unset = UNSET
    """Hyperparameters, channels and engine of the task."""
    code_dir: str | Unset = UNSET
    """Folder with the code in object storage, such as `/bucket/code/`. It goes together with `boot_file` and is left
    out where an algorithm id says what to run.
    """
    boot_file: str | Unset = UNSET
    """Python file that starts the training, given with its whole path; it has to lie below `code_dir`."""
    engine: _models.AlgorithmEngineRequest | Unset = UNSET
    """Preset AI framework (`engine_id`) or custom image (`image_url`) that runs the code."""
    inputs: Sequence[_models.TaskInputRequest] | Unset = UNSET
    """Data that is brought to the task."""
    outputs: Sequence[_models.OutputRequest] | Unset = UNSET
    """Data that is taken from the task."""
    local_code_dir: str | Unset = UNSET
    """Folder in the container that receives the code instead of the default one. It has to lie below `/home`, and has
    no effect in engines compatible with v1 or when `code_dir` starts with `file://`.
    """
    working_dir: str | Unset = UNSET
    """Folder in the container that the platform changes to before the start. No effect in engines compatible with v1."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("job_config", UNSET)
        self.job_config = _models.TaskJobConfigRequest.from_dict(value) if isinstance(value, dict) else value
        self.code_dir = take("code_dir", UNSET)
        self.boot_file = take("boot_file", UNSET)
        value = take("engine", UNSET)
        self.engine = _models.AlgorithmEngineRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("inputs", UNSET)
        self.inputs = (
            [_models.TaskInputRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        value = take("outputs", UNSET)
        self.outputs = (
            [_models.OutputRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.local_code_dir = take("local_code_dir", UNSET)
        self.working_dir = take("working_dir", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> TaskAlgorithmRequestDict: ...


class TaskAlgorithmRequestDict(TypedDict, total=False):
    """`TaskAlgorithmRequest` as a dict."""

    job_config: _models.TaskJobConfigRequestDict
    code_dir: str
    boot_file: str
    engine: _models.AlgorithmEngineRequestDict
    inputs: Sequence[_models.TaskInputRequestDict]
    outputs: Sequence[_models.OutputRequestDict]
    local_code_dir: str
    working_dir: str


class TaskAlgorithmRequestInput(TypedDict, total=False):
    """`TaskAlgorithmRequest` as a dict whose values are converted before they are sent."""

    job_config: _models.TaskJobConfigRequestInput
    code_dir: str
    boot_file: str
    engine: _models.AlgorithmEngineRequestDict
    inputs: Sequence[_models.TaskInputRequestDict]
    outputs: Sequence[_models.OutputRequestDict]
    local_code_dir: str
    working_dir: str

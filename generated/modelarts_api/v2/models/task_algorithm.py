# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class TaskAlgorithm(ResponseModel):
    """What a task of a mixed job runs."""

    code_dir: str | None = None
    """Folder with the code in object storage."""
    boot_file: str | None = None
    """Python file that starts the task."""
    inputs: _models.TaskInput | None = None
    """The input channel; there is one at most."""
    outputs: _models.TaskOutput | None = None
    """The output channel; there is one at most."""
    engine: _models.TaskEngine | None = None
    """Preset AI framework (`engine_id`) or custom image (`image_url`) that runs the code."""
    local_code_dir: str | None = None
    """Folder in the container that receives the code instead of the default one. It has to lie below `/home`, and has
    no effect in engines compatible with v1 or when `code_dir` starts with `file://`.
    """
    working_dir: str | None = None
    """Folder in the container that the platform changes to before the start. No effect in engines compatible with v1."""
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
        value = take("inputs", None)
        self.inputs = _models.TaskInput.from_dict(value) if isinstance(value, dict) else value
        value = take("outputs", None)
        self.outputs = _models.TaskOutput.from_dict(value) if isinstance(value, dict) else value
        value = take("engine", None)
        self.engine = _models.TaskEngine.from_dict(value) if isinstance(value, dict) else value
        self.local_code_dir = take("local_code_dir", None)
        self.working_dir = take("working_dir", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

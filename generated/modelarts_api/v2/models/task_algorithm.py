# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.task_engine import TaskEngine
    from ..models.task_input import TaskInput
    from ..models.task_output import TaskOutput


@attrs.define(kw_only=True, repr=False)
class TaskAlgorithm(Model):
    """What a task of a mixed job runs."""

    code_dir: str | None | Unset = UNSET
    """Folder with the code in object storage."""
    boot_file: str | None | Unset = UNSET
    """Python file that starts the task."""
    inputs: TaskInput | None | Unset = UNSET
    """The input channel; there is one at most."""
    outputs: TaskOutput | None | Unset = UNSET
    """The output channel; there is one at most."""
    engine: TaskEngine | None | Unset = UNSET
    """Framework or image."""
    local_code_dir: str | None | Unset = UNSET
    """Folder in the container that receives the code instead of the default one. It has to lie below `/home`, and has
    no effect in engines compatible with v1 or when `code_dir` starts with `file://`.
    """
    working_dir: str | None | Unset = UNSET
    """Folder in the container that the platform changes to before the start. No effect in engines compatible with v1."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("code_dir", "code_dir"),
        ("boot_file", "boot_file"),
        ("inputs", "inputs"),
        ("outputs", "outputs"),
        ("engine", "engine"),
        ("local_code_dir", "local_code_dir"),
        ("working_dir", "working_dir"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.code_dir = take("code_dir", UNSET)
        self.boot_file = take("boot_file", UNSET)
        value = take("inputs", UNSET)
        self.inputs = models.TaskInput.from_dict(value) if isinstance(value, dict) else value
        value = take("outputs", UNSET)
        self.outputs = models.TaskOutput.from_dict(value) if isinstance(value, dict) else value
        value = take("engine", UNSET)
        self.engine = models.TaskEngine.from_dict(value) if isinstance(value, dict) else value
        self.local_code_dir = take("local_code_dir", UNSET)
        self.working_dir = take("working_dir", UNSET)
        self.additional_properties = rest
        return self

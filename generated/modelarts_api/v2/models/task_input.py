# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.task_input_remote import TaskInputRemote


@attrs.define(kw_only=True, repr=False)
class TaskInput(Model):
    """The input channel of a task in a mixed job."""

    name: str | None | Unset = UNSET
    """Name of the channel."""
    local_dir: str | None | Unset = UNSET
    """Folder in the container that holds the data."""
    remote: TaskInputRemote | None | Unset = UNSET
    """Where the data comes from."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("name", "name"),
        ("local_dir", "local_dir"),
        ("remote", "remote"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.name = take("name", UNSET)
        self.local_dir = take("local_dir", UNSET)
        value = take("remote", UNSET)
        self.remote = models.TaskInputRemote.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

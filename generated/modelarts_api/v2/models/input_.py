# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.input_remote import InputRemote
    from ..models.remote_constraint import RemoteConstraint


@attrs.define(kw_only=True, repr=False)
class Input(Model):
    """An input channel of a job."""

    name: str | None | Unset = UNSET
    """Name of the channel."""
    description: str | None | Unset = UNSET
    """Explanation for people. The service may answer a placeholder instead of the text that was sent."""
    local_dir: str | None | Unset = UNSET
    """Folder in the container that holds the data."""
    remote: InputRemote | None | Unset = UNSET
    """Where the data comes from."""
    remote_constraint: list[RemoteConstraint] | None | Unset = UNSET
    """What kinds of data the channel accepts."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("name", "name"),
        ("description", "description"),
        ("local_dir", "local_dir"),
        ("remote", "remote"),
        ("remote_constraint", "remote_constraint"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.name = take("name", UNSET)
        self.description = take("description", UNSET)
        self.local_dir = take("local_dir", UNSET)
        value = take("remote", UNSET)
        self.remote = models.InputRemote.from_dict(value) if isinstance(value, dict) else value
        value = take("remote_constraint", UNSET)
        self.remote_constraint = (
            [models.RemoteConstraint.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.additional_properties = rest
        return self

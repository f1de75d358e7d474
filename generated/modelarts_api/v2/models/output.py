# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.output_remote import OutputRemote


@attrs.define(kw_only=True, repr=False)
class Output(Model):
    """An output channel of a job."""

    name: str | None | Unset = UNSET
    """Name of the channel."""
    description: str | None | Unset = UNSET
    """Explanation for people. The service may answer a placeholder instead of the text that was sent."""
    local_dir: str | None | Unset = UNSET
    """Folder in the container whose files are uploaded."""
    remote: OutputRemote | None | Unset = UNSET
    """Where the files go."""
    mode: str | None | Unset = UNSET
    """When files are uploaded.
    Known values: upload_periodically.
    """
    period: int | str | None | Unset = UNSET
    """Seconds between two uploads."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("name", "name"),
        ("description", "description"),
        ("local_dir", "local_dir"),
        ("remote", "remote"),
        ("mode", "mode"),
        ("period", "period"),
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
        self.remote = models.OutputRemote.from_dict(value) if isinstance(value, dict) else value
        self.mode = take("mode", UNSET)
        self.period = take("period", UNSET)
        self.additional_properties = rest
        return self

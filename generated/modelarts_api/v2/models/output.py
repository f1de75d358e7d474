# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs

from ...model import Model
from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class Output(Model):
    """An output channel of a job."""

    name: str = attrs.field(default=None)
    """Name of the channel."""
    description: str | None = None
    """Explanation for people. The service may answer a placeholder instead of the text that was sent."""
    local_dir: str = attrs.field(default=None)
    """Folder in the container whose files are uploaded."""
    remote: _models.OutputRemote = attrs.field(default=None)
    """Where the files go."""
    mode: str | None = None
    """When files are uploaded.
    Known values: upload_periodically.
    """
    period: int | str | None = None
    """Seconds between two uploads."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.name = take("name", None)
        self.description = take("description", None)
        self.local_dir = take("local_dir", None)
        value = take("remote", None)
        self.remote = _models.OutputRemote.from_dict(value) if isinstance(value, dict) else value
        self.mode = take("mode", None)
        self.period = take("period", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

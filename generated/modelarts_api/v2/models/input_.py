# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class Input(ResponseModel):
    """An input channel of a job."""

    name: str = attrs.field(default=None)
    """Name of the channel, which scripts receive as an argument."""
    local_dir: str = attrs.field(default=None)
    """Folder in the container that holds the data."""
    remote: _models.InputRemote = attrs.field(default=None)
    """Where the data comes from."""
    description: str | None = None
    """Description of the channel for readers. The service may return a placeholder instead of the text that was sent."""
    access_method: str | None = None
    """How scripts receive the folder, as a parameter or as an environment variable.
    Known values: parameter, env.
    """
    remote_constraint: list[_models.RemoteConstraint] = attrs.field(factory=list)
    """What kinds of data the channel accepts."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.name = take("name", None)
        self.local_dir = take("local_dir", None)
        value = take("remote", None)
        self.remote = _models.InputRemote.from_dict(value) if isinstance(value, dict) else value
        self.description = take("description", None)
        self.access_method = take("access_method", None)
        value = take("remote_constraint", None)
        self.remote_constraint = (
            [_models.RemoteConstraint.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        self.additional_properties = rest
        self._received = src_dict
        return self

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class TaskInput(ResponseModel):
    """The input channel of a task in a mixed job."""

    name: str | None = None
    """Name of the channel, which scripts receive as an argument."""
    local_dir: str | None = None
    """Folder in the container that holds the data."""
    access_method: str | None = None
    """How scripts receive the folder, as a parameter or as an environment variable.
    Known values: parameter, env.
    """
    remote: _models.TaskInputRemote | None = None
    """Where the data comes from."""
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
        self.access_method = take("access_method", None)
        value = take("remote", None)
        self.remote = _models.TaskInputRemote.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        self._received = src_dict
        return self

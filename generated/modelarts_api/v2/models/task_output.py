# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class TaskOutput(ResponseModel):
    """The output channel of a task in a mixed job."""

    name: str | None = None
    """Name of the channel, which scripts receive as an argument."""
    local_dir: str | None = None
    """Folder in the container whose files are uploaded."""
    access_method: str | None = None
    """How scripts receive the folder, as a parameter or as an environment variable.
    Known values: parameter, env.
    """
    remote: _models.OutputRemote | None = None
    """Object storage that receives the files of the channel."""
    mode: str | None = None
    """How files are uploaded; `upload_periodically` uploads while the job runs.
    Known values: upload_periodically.
    """
    period: str | int | None = None
    """Time between two uploads with its unit, such as `30s`."""
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
        self.remote = _models.OutputRemote.from_dict(value) if isinstance(value, dict) else value
        self.mode = take("mode", None)
        self.period = take("period", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

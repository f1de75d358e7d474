# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class JobEndpoints(ResponseModel):
    """Remote access to the running container: SSH, JupyterLab and visualization tools."""

    ssh: _models.Ssh | None = None
    """SSH access to the tasks of the job."""
    jupyter_lab: _models.WebEndpoint | None = None
    """JupyterLab in the container of the job."""
    tensorboard: _models.WebEndpoint | None = None
    """TensorBoard in the container of the job."""
    mindstudio_insight: _models.WebEndpoint | None = None
    """MindStudio Insight, which runs together with the job."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("ssh", None)
        self.ssh = _models.Ssh.from_dict(value) if isinstance(value, dict) else value
        value = take("jupyter_lab", None)
        self.jupyter_lab = _models.WebEndpoint.from_dict(value) if isinstance(value, dict) else value
        value = take("tensorboard", None)
        self.tensorboard = _models.WebEndpoint.from_dict(value) if isinstance(value, dict) else value
        value = take("mindstudio_insight", None)
        self.mindstudio_insight = _models.WebEndpoint.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        self._received = src_dict
        return self

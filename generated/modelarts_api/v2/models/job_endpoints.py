# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.ssh import Ssh
    from ..models.web_endpoint import WebEndpoint


@attrs.define(kw_only=True, repr=False)
class JobEndpoints(Model):
    """Ways into the running container."""

    ssh: Ssh | None | Unset = UNSET
    """Login by SSH."""
    jupyter_lab: WebEndpoint | None | Unset = UNSET
    """JupyterLab beside the job."""
    tensorboard: WebEndpoint | None | Unset = UNSET
    """TensorBoard beside the job."""
    mindstudio_insight: WebEndpoint | None | Unset = UNSET
    """MindStudio Insight beside the job."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("ssh", "ssh"),
        ("jupyter_lab", "jupyter_lab"),
        ("tensorboard", "tensorboard"),
        ("mindstudio_insight", "mindstudio_insight"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("ssh", UNSET)
        self.ssh = models.Ssh.from_dict(value) if isinstance(value, dict) else value
        value = take("jupyter_lab", UNSET)
        self.jupyter_lab = models.WebEndpoint.from_dict(value) if isinstance(value, dict) else value
        value = take("tensorboard", UNSET)
        self.tensorboard = models.WebEndpoint.from_dict(value) if isinstance(value, dict) else value
        value = take("mindstudio_insight", UNSET)
        self.mindstudio_insight = models.WebEndpoint.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class JobEndpointsRequest(Model):
    """Remote access to the running container: SSH, JupyterLab and visualization tools."""

    ssh: _models.SshRequest | Unset = UNSET
    """SSH access to the tasks of the job."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("ssh", UNSET)
        self.ssh = _models.SshRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> JobEndpointsRequestDict: ...


class JobEndpointsRequestDict(TypedDict, total=False):
    """`JobEndpointsRequest` as a dict."""

    ssh: _models.SshRequestDict

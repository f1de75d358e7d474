# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Required, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class OutputRequest(Model):
    """An output channel: files that are uploaded every 30 seconds and when the task ends."""

    name: str
    """Name of the channel. The boot file receives it as `--name=folder`."""
    remote: _models.OutputRemoteRequest
    """Object storage that receives the files of the channel."""
    description: str | Unset = UNSET
    """Description of the channel for readers."""
    local_dir: str | Unset = UNSET
    """Folder in the container that the channel is mapped to. Left out, the service chooses one, such as
    `/home/ma-user/modelarts/outputs/train_url_0`.
    """
    access_method: str | Unset = UNSET
    """How the boot file receives the folder: as the parameter `--name=folder`, or as an environment variable. Left
    out, it is the one that the algorithm declares, else a parameter. How a script receives the folder of a channel.
    Known values: parameter, env.
    """
    prefetch_to_local: bool | Unset = UNSET
    """Whether the files of the channel's place in object storage are downloaded into its folder before each run, on
    all nodes, so that a restarted job finds its checkpoint. Left out, it is what the algorithm declares.
    """
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.name = take("name", UNSET)
        value = take("remote", UNSET)
        self.remote = _models.OutputRemoteRequest.from_dict(value) if isinstance(value, dict) else value
        self.description = take("description", UNSET)
        self.local_dir = take("local_dir", UNSET)
        self.access_method = take("access_method", UNSET)
        self.prefetch_to_local = take("prefetch_to_local", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> OutputRequestDict: ...


class OutputRequestDict(TypedDict, total=False):
    """`OutputRequest` as a dict."""

    name: Required[str]
    remote: Required[_models.OutputRemoteRequestDict]
    description: str
    local_dir: str
    access_method: str
    prefetch_to_local: bool

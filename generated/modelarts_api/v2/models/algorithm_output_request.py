# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Required, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset


@attrs.define(kw_only=True, repr=False, eq=False)
class AlgorithmOutputRequest(Model):
    """An output channel that an algorithm declares."""

    name: str
    """Name of the channel, which scripts receive as an argument."""
    description: str | Unset = UNSET
    """Description of the channel for readers."""
    access_method: str | Unset = UNSET
    """How the boot file receives the folder: as the parameter `--name=folder`, or as an environment variable. Left
    out, it is a parameter. How a script receives the folder of a channel.
    Known values: parameter, env.
    """
    prefetch_to_local: bool | Unset = UNSET
    """Whether the files of the channel's place in object storage are downloaded into its folder before each run, on
    all nodes, so that a restarted job finds its checkpoint.
    """
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.name = take("name", UNSET)
        self.description = take("description", UNSET)
        self.access_method = take("access_method", UNSET)
        self.prefetch_to_local = take("prefetch_to_local", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> AlgorithmOutputRequestDict: ...


class AlgorithmOutputRequestDict(TypedDict, total=False):
    """`AlgorithmOutputRequest` as a dict."""

    name: Required[str]
    description: str
    access_method: str
    prefetch_to_local: bool

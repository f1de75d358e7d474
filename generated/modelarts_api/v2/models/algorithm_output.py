# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class AlgorithmOutput(ResponseModel):
    """An output channel that an algorithm declares."""

    name: str = attrs.field(default=None)
    """Name of the channel, which scripts receive as an argument."""
    description: str | None = None
    """Description of the channel for readers. The service may return a placeholder instead of the text that was sent."""
    access_method: str | None = None
    """How scripts receive the folder, as a parameter or as an environment variable.
    Known values: parameter, env.
    """
    prefetch_to_local: bool | None = None
    """Whether the files of the channel's place in object storage are downloaded into its folder before each run, on
    all nodes, so that a restarted job finds its checkpoint.
    """
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
        self.access_method = take("access_method", None)
        self.prefetch_to_local = take("prefetch_to_local", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

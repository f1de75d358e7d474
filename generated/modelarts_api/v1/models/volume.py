# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class Volume(ResponseModel):
    """A directory from elsewhere that every node sees: one of the two members is there."""

    nfs: _models.NfsVolume | None = None
    """A share of a file server."""
    host_path: _models.HostPathVolume | None = None
    """A directory of the node's host."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("nfs", None)
        self.nfs = _models.NfsVolume.from_dict(value) if isinstance(value, dict) else value
        value = take("host_path", None)
        self.host_path = _models.HostPathVolume.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        self._received = src_dict
        return self

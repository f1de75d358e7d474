# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class ObsModel(ResponseModel):
    """Where a model is stored."""

    obs_path: str | None = None
    """Folder in object storage, as `obs://bucket/path`."""
    local_path: str | None = None
    """Folder on the node that the model is in."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.obs_path = take("obs_path", None)
        self.local_path = take("local_path", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

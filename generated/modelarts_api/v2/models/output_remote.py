# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class OutputRemote(ResponseModel):
    """Where the data of an output channel goes."""

    obs: _models.ObsLocation = attrs.field(default=None)
    """Folder in object storage that receives the files."""
    obs_url: str | None = None
    """Address of that folder in an older form of the response, which has no `obs`."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("obs", None)
        self.obs = _models.ObsLocation.from_dict(value) if isinstance(value, dict) else value
        self.obs_url = take("obs_url", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

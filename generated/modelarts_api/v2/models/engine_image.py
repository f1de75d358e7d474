# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class EngineImage(ResponseModel):
    """Container images of an engine."""

    cpu_image_url: str = attrs.field(default=None)
    """Image for nodes without accelerator, as `organisation/name:tag`; empty where there is none."""
    gpu_image_url: str = attrs.field(default=None)
    """Image for nodes with an accelerator; empty where there is none."""
    image_version: str = attrs.field(default=None)
    """Version of the images."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.cpu_image_url = take("cpu_image_url", None)
        self.gpu_image_url = take("gpu_image_url", None)
        self.image_version = take("image_version", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

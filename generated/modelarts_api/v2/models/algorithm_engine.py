# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class AlgorithmEngine(ResponseModel):
    """The engine that jobs of an algorithm run in."""

    engine_id: str | None = None
    """Id of a preset engine."""
    engine_name: str | None = None
    """Name of the AI framework, such as `PyTorch`."""
    engine_version: str | None = None
    """Version of the preset engine."""
    image_url: str | None = None
    """SWR path of a custom image, as `organisation/name:tag`."""
    tags: list[_models.Tag] = attrs.field(factory=list)
    """Labels of the engine, as keys and values."""
    v1_compatible: bool | None = None
    """Whether the image lays out its folders as the first API version did."""
    run_user: str | None = None
    """Numeric user id that the boot file runs under."""
    image_info: _models.EngineImage | None = None
    """The images behind the engine."""
    image_source: bool | None = None
    """Whether the engine is an image of the user's."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.engine_id = take("engine_id", None)
        self.engine_name = take("engine_name", None)
        self.engine_version = take("engine_version", None)
        self.image_url = take("image_url", None)
        value = take("tags", None)
        self.tags = (
            [_models.Tag.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        self.v1_compatible = take("v1_compatible", None)
        self.run_user = take("run_user", None)
        value = take("image_info", None)
        self.image_info = _models.EngineImage.from_dict(value) if isinstance(value, dict) else value
        self.image_source = take("image_source", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

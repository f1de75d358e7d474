# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class Engine(ResponseModel):
    """A framework in a certain version, with the image that contains it."""

    engine_id: str = attrs.field(default=None)
    """Identifies framework and version together; enough to choose the engine."""
    engine_name: str = attrs.field(default=None)
    """The framework, such as `PyTorch`."""
    engine_version: str = attrs.field(default=None)
    """The version; with `engine_name` it chooses the engine as well as `engine_id` does."""
    v1_compatible: bool = attrs.field(default=None)
    """Whether the image lays out its folders as the first API version did. `local_code_dir` and `working_dir` have no
    effect then.
    """
    run_user: str = attrs.field(default=None)
    """Numeric user id that the boot file runs under; empty where the image does not say."""
    image_info: _models.EngineImage = attrs.field(default=None)
    """The images behind the engine."""
    tags: list[_models.Tag] = attrs.field(factory=list)
    """Labels of the engine; `auto_search` says that hyperparameter search works with it."""
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
        self.v1_compatible = take("v1_compatible", None)
        self.run_user = take("run_user", None)
        value = take("image_info", None)
        self.image_info = _models.EngineImage.from_dict(value) if isinstance(value, dict) else value
        value = take("tags", None)
        self.tags = (
            [_models.Tag.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        self.additional_properties = rest
        self._received = src_dict
        return self

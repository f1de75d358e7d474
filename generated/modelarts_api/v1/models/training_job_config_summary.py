# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel
from modelarts_runtime.times import Instant


@attrs.define(kw_only=True, repr=False, eq=False)
class TrainingJobConfigSummary(ResponseModel):
    """A configuration in a list."""

    config_name: str = attrs.field(default=None)
    """Name of the configuration; it identifies the configuration in the project."""
    create_time: int = attrs.field(default=None)
    """When the configuration was created, in milliseconds since 1970."""
    config_desc: str | None = None
    """Description of the configuration for readers."""
    engine_type: int | None = None
    """Family of the engine (AI framework). 1 TensorFlow, 2 MXNet, 3 Ray, 4 Caffe, 5 Spark MLlib, 9 XGBoost and
    scikit-learn, 10 PyTorch, 12 Horovod, 13 Ascend-Powered-Engine.
    """
    engine_name: str | None = None
    """Name of the engine, such as `TensorFlow`."""
    engine_id: int | None = None
    """Id of the engine, as the list of engines has it."""
    engine_version: str | None = None
    """Version of the engine, such as `TF-1.4.0-python2.7`."""
    user_image_url: str | None = None
    """SWR path of the custom container image that runs instead of an engine."""
    user_command: str | None = None
    """Command line of the own image."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    created_at = Instant[datetime]("create_time", "ms")
    """`create_time` as a time with its zone."""

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.config_name = take("config_name", None)
        self.create_time = take("create_time", None)
        self.config_desc = take("config_desc", None)
        self.engine_type = take("engine_type", None)
        self.engine_name = take("engine_name", None)
        self.engine_id = take("engine_id", None)
        self.engine_version = take("engine_version", None)
        self.user_image_url = take("user_image_url", None)
        self.user_command = take("user_command", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

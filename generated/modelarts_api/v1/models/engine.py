# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class Engine(ResponseModel):
    """A framework in one version."""

    engine_id: int = attrs.field(default=None)
    """Id of the engine: the `engine_id` of a job."""
    engine_type: int | None = attrs.field(default=None)
    """Family of the engine (AI framework). 1 TensorFlow, 2 MXNet, 3 Ray, 4 Caffe, 5 Spark MLlib, 9 XGBoost and
    scikit-learn, 10 PyTorch, 12 Horovod, 13 Ascend-Powered-Engine.
    Known values: 1, 2, 3, 4, 5, 9, 10, 12, 13.
    """
    engine_name: str = attrs.field(default=None)
    """Name of the engine, such as `TensorFlow`."""
    engine_version: str = attrs.field(default=None)
    """Version of the engine with that of Python, such as `TF-1.8.0-python3.6`."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.engine_id = take("engine_id", None)
        self.engine_type = take("engine_type", None)
        self.engine_name = take("engine_name", None)
        self.engine_version = take("engine_version", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel
from modelarts_runtime.times import Instant


@attrs.define(kw_only=True, repr=False, eq=False)
class BuiltInAlgorithm(ResponseModel):
    """An algorithm with a trained model that comes with the service."""

    model_id: int = attrs.field(default=None)
    """Id of the algorithm: the `model_id` of a job."""
    model_name: str = attrs.field(default=None)
    """Name of the built-in algorithm."""
    model_usage: int = attrs.field(default=None)
    """What it is for. 1 image classification, 2 object detection, 3 semantic segmentation, 4 natural language
    processing, 5 image embedding.
    Known values: 1, 2, 3, 4, 5.
    """
    model_precision: str = attrs.field(default=None)
    """How good it is, such as `75.55%(top1), 92.6%(top5)`."""
    model_size: int = attrs.field(default=None)
    """Size of the trained model in bytes."""
    model_train_dataset: str = attrs.field(default=None)
    """Data that it was trained on."""
    model_dataset_format: str = attrs.field(default=None)
    """Format that the dataset must have."""
    model_description_url: str = attrs.field(default=None)
    """URL of a page that describes the algorithm."""
    parameter: str = attrs.field(default=None)
    """Hyperparameters: an array as JSON text."""
    create_time: int = attrs.field(default=None)
    """When the algorithm was created, in milliseconds since 1970."""
    engine_id: int = attrs.field(default=None)
    """Id of the engine that it runs on."""
    engine_name: str = attrs.field(default=None)
    """Name of the engine that runs the algorithm."""
    engine_version: str = attrs.field(default=None)
    """Version of the engine that runs the algorithm."""
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
        self.model_id = take("model_id", None)
        self.model_name = take("model_name", None)
        self.model_usage = take("model_usage", None)
        self.model_precision = take("model_precision", None)
        self.model_size = take("model_size", None)
        self.model_train_dataset = take("model_train_dataset", None)
        self.model_dataset_format = take("model_dataset_format", None)
        self.model_description_url = take("model_description_url", None)
        self.parameter = take("parameter", None)
        self.create_time = take("create_time", None)
        self.engine_id = take("engine_id", None)
        self.engine_name = take("engine_name", None)
        self.engine_version = take("engine_version", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class BuiltInAlgorithm(Model):
    """An algorithm with a trained model that comes with the service."""

    model_id: int
    """Id of the algorithm: the `model_id` of a job."""
    model_name: str | None | Unset = UNSET
    """Name of the algorithm."""
    model_usage: int | None | Unset = UNSET
    """What it is for. 1 image classification, 2 object detection, 3 semantic segmentation, 4 natural language
    processing, 5 image embedding.
    Known values: 1, 2, 3, 4, 5.
    """
    model_precision: str | None | Unset = UNSET
    """How good it is, such as `75.55%(top1), 92.6%(top5)`."""
    model_size: int | None | Unset = UNSET
    """Size of the trained model in bytes."""
    model_train_dataset: str | None | Unset = UNSET
    """Data that it was trained on."""
    model_dataset_format: str | None | Unset = UNSET
    """Data that it expects."""
    model_description_url: str | None | Unset = UNSET
    """Address of its description."""
    parameter: str | None | Unset = UNSET
    """Hyperparameters: an array as JSON text."""
    create_time: int | None | Unset = UNSET
    """When the algorithm was created, in milliseconds since 1970."""
    engine_id: int | None | Unset = UNSET
    """Id of the engine that it runs on."""
    engine_name: str | None | Unset = UNSET
    """Name of the engine."""
    engine_version: str | None | Unset = UNSET
    """Version of the engine."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("model_id", "model_id"),
        ("model_name", "model_name"),
        ("model_usage", "model_usage"),
        ("model_precision", "model_precision"),
        ("model_size", "model_size"),
        ("model_train_dataset", "model_train_dataset"),
        ("model_dataset_format", "model_dataset_format"),
        ("model_description_url", "model_description_url"),
        ("parameter", "parameter"),
        ("create_time", "create_time"),
        ("engine_id", "engine_id"),
        ("engine_name", "engine_name"),
        ("engine_version", "engine_version"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.model_id = take("model_id", UNSET)
        self.model_name = take("model_name", UNSET)
        self.model_usage = take("model_usage", UNSET)
        self.model_precision = take("model_precision", UNSET)
        self.model_size = take("model_size", UNSET)
        self.model_train_dataset = take("model_train_dataset", UNSET)
        self.model_dataset_format = take("model_dataset_format", UNSET)
        self.model_description_url = take("model_description_url", UNSET)
        self.parameter = take("parameter", UNSET)
        self.create_time = take("create_time", UNSET)
        self.engine_id = take("engine_id", UNSET)
        self.engine_name = take("engine_name", UNSET)
        self.engine_version = take("engine_version", UNSET)
        self.additional_properties = rest
        return self

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class FineTuningDataset(ResponseModel):
    """A dataset of a fine-tuning job."""

    dataset_name: str | None = None
    """Name of the dataset."""
    dataset_source: str | None = None
    """Where the dataset is kept.
    Known values: datamng, OBS, DB.
    """
    dataset_id: str | None = None
    """Id of the dataset."""
    split_ratio: int | None = None
    """Share of the dataset for validation, 1 to 50 percent."""
    used_step: str | None = None
    """What the dataset is used for.
    Known values: train, eval, test.
    """
    dataset_proportion: int | None = None
    """Share of the dataset that is used."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.dataset_name = take("dataset_name", None)
        self.dataset_source = take("dataset_source", None)
        self.dataset_id = take("dataset_id", None)
        self.split_ratio = take("split_ratio", None)
        self.used_step = take("used_step", None)
        self.dataset_proportion = take("dataset_proportion", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

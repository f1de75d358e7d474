# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class DataSource(ResponseModel):
    """One source of training data."""

    type_: str | None = None
    """Where the data is: in object storage (`obs`) or a dataset (`dataset`).
    Known values: obs, dataset.
    """
    data_url: str | None = None
    """Path in object storage, such as `/bucket/folder/`, for the kind obs."""
    dataset_id: str | None = None
    """Id of the dataset, for the kind dataset."""
    dataset_version: str | None = None
    """Version of the dataset, for the kind dataset."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    _names: ClassVar[Mapping[str, str]] = {
        "type_": "type",
    }

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.type_ = take("type", None)
        self.data_url = take("data_url", None)
        self.dataset_id = take("dataset_id", None)
        self.dataset_version = take("dataset_version", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

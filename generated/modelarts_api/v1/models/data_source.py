# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class DataSource(Model):
    """One source of training data."""

    type_: str | None | Unset = UNSET
    """Kind of source.
    Known values: obs, dataset.
    """
    data_url: str | None | Unset = UNSET
    """Path in object storage, such as `/bucket/folder/`, for the kind obs."""
    dataset_id: str | None | Unset = UNSET
    """Id of the dataset, for the kind dataset."""
    dataset_version: str | None | Unset = UNSET
    """Version of the dataset, for the kind dataset."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("type_", "type"),
        ("data_url", "data_url"),
        ("dataset_id", "dataset_id"),
        ("dataset_version", "dataset_version"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.type_ = take("type", UNSET)
        self.data_url = take("data_url", UNSET)
        self.dataset_id = take("dataset_id", UNSET)
        self.dataset_version = take("dataset_version", UNSET)
        self.additional_properties = rest
        return self

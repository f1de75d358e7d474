# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Required, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset


@attrs.define(kw_only=True, repr=False, eq=False)
class DatasetRequest(Model):
    """A version of a managed dataset."""

    id: str
    """Id of the dataset."""
    version_id: str
    """Id of the version of the dataset."""
    service_type: str | Unset = UNSET
    """`V3` for a dataset of the asset service; anything else for the older kind."""
    name: str | Unset = UNSET
    """Name of the dataset."""
    dataset_proportion: int | Unset = UNSET
    """Share of the dataset that is used; for fine-tuning only."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.id = take("id", UNSET)
        self.version_id = take("version_id", UNSET)
        self.service_type = take("service_type", UNSET)
        self.name = take("name", UNSET)
        self.dataset_proportion = take("dataset_proportion", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> DatasetRequestDict: ...


class DatasetRequestDict(TypedDict, total=False):
    """`DatasetRequest` as a dict."""

    id: Required[str]
    version_id: Required[str]
    service_type: str
    name: str
    dataset_proportion: int

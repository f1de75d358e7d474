# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class DataSourceRequest(Model):
    """One source of training data: a folder in object storage, or a version of a dataset."""

    type_: _models.DataSourceRequestType | Unset = UNSET
    """Where the data is: in object storage (`obs`) or a dataset (`dataset`)."""
    data_url: str | Unset = UNSET
    """Path in object storage, such as `/bucket/folder/`. Goes with the kind obs."""
    dataset_id: str | Unset = UNSET
    """Id of the dataset. Goes with the kind dataset."""
    dataset_version: str | Unset = UNSET
    """Version of the dataset. Goes with the kind dataset. The member next to the sources is called
    `dataset_version_id`.
    """
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    _names: ClassVar[Mapping[str, str]] = {
        "type_": "type",
    }

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.type_ = take("type", UNSET)
        self.data_url = take("data_url", UNSET)
        self.dataset_id = take("dataset_id", UNSET)
        self.dataset_version = take("dataset_version", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> DataSourceRequestDict: ...


class DataSourceRequestDict(TypedDict, total=False):
    """`DataSourceRequest` as a dict."""

    type: _models.DataSourceRequestType
    data_url: str
    dataset_id: str
    dataset_version: str

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class Dataset(ResponseModel):
    """A version of a managed dataset."""

    id: str | None = None
    """Id of the dataset."""
    version_id: str | None = None
    """Id of the version of the dataset."""
    obs_url: str | None = None
    """Folder that the service found for this version."""
    service_type: str | None = None
    """`V3` for a dataset of the asset service; anything else for the older kind."""
    name: str | None = None
    """Name of the dataset."""
    dataset_proportion: int | None = None
    """Share of the dataset that is used; for fine-tuning only."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.id = take("id", None)
        self.version_id = take("version_id", None)
        self.obs_url = take("obs_url", None)
        self.service_type = take("service_type", None)
        self.name = take("name", None)
        self.dataset_proportion = take("dataset_proportion", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

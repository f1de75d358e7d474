# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Required, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class SummaryDataSourceRequest(Model):
    """One source of a visualization."""

    job: _models.SummaryJobRequest
    """The job that wrote the logs."""
    nfs: _models.SummaryNfsRequest | Unset = UNSET
    """File system that the logs are in."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("job", UNSET)
        self.job = _models.SummaryJobRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("nfs", UNSET)
        self.nfs = _models.SummaryNfsRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> SummaryDataSourceRequestDict: ...


class SummaryDataSourceRequestDict(TypedDict, total=False):
    """`SummaryDataSourceRequest` as a dict."""

    job: Required[_models.SummaryJobRequestDict]
    nfs: _models.SummaryNfsRequestDict

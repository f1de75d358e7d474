# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class SummaryRequest(Model):
    """What a job writes for, or reads into, a visualization tool."""

    log_type: _models.SummaryRequestLogType | Unset = UNSET
    """Tool that the written logs are for; it makes the job a possible source of a visualization."""
    log_dir: _models.SummaryLogDirRequest | Unset = UNSET
    """Where the logs are written; needed as soon as `log_type` is set."""
    data_sources: Sequence[_models.SummaryDataSourceRequest] | Unset = UNSET
    """Jobs whose logs are shown; needed when the annotations turn TensorBoard or MindStudio Insight on."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.log_type = take("log_type", UNSET)
        value = take("log_dir", UNSET)
        self.log_dir = _models.SummaryLogDirRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("data_sources", UNSET)
        self.data_sources = (
            [_models.SummaryDataSourceRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> SummaryRequestDict: ...


class SummaryRequestDict(TypedDict, total=False):
    """`SummaryRequest` as a dict."""

    log_type: _models.SummaryRequestLogType
    log_dir: _models.SummaryLogDirRequestDict
    data_sources: Sequence[_models.SummaryDataSourceRequestDict]

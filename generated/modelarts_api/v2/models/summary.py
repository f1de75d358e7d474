# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.summary_data_source import SummaryDataSource
    from ..models.summary_log_dir import SummaryLogDir


@attrs.define(kw_only=True, repr=False)
class Summary(Model):
    """What a job writes for, or reads into, a visualization tool."""

    log_type: str | None | Unset = UNSET
    """Tool that the written logs are for; it makes the job a possible source of a visualization.
    Known values: tensorboard, mindstudio-insight.
    """
    log_dir: SummaryLogDir | None | Unset = UNSET
    """Where the logs are written; needed as soon as `log_type` is set."""
    data_sources: list[SummaryDataSource] | None | Unset = UNSET
    """Jobs whose logs are shown; needed when the annotations turn TensorBoard or MindStudio Insight on."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("log_type", "log_type"),
        ("log_dir", "log_dir"),
        ("data_sources", "data_sources"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.log_type = take("log_type", UNSET)
        value = take("log_dir", UNSET)
        self.log_dir = models.SummaryLogDir.from_dict(value) if isinstance(value, dict) else value
        value = take("data_sources", UNSET)
        self.data_sources = (
            [models.SummaryDataSource.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.additional_properties = rest
        return self

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class Stage(ResponseModel):
    """A stage of a run, such as scheduling, with its times."""

    job_id: str | None = None
    """Id of the job."""
    name: str | None = None
    """Name of the stage.
    Known values: scheduling, preparing, running, end.
    """
    en_message: str | None = None
    """What happens in the stage, in English."""
    zh_message: str | None = None
    """What happens in the stage, in Chinese."""
    start_time: str | None = None
    """When the stage began."""
    end_time: str | None = None
    """When the stage ended."""
    stage_order: int | None = None
    """Place of the stage in its run, 1 to 4."""
    sub_stages: list[_models.SubStage] = attrs.field(factory=list)
    """Steps of the stage."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.job_id = take("job_id", None)
        self.name = take("name", None)
        self.en_message = take("en_message", None)
        self.zh_message = take("zh_message", None)
        self.start_time = take("start_time", None)
        self.end_time = take("end_time", None)
        self.stage_order = take("stage_order", None)
        value = take("sub_stages", None)
        self.sub_stages = (
            [_models.SubStage.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else []
            if value is None
            else value
        )
        self.additional_properties = rest
        self._received = src_dict
        return self

# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Required, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET


@attrs.define(kw_only=True, repr=False, eq=False)
class UpdateVisualizationJobRequest(Model):
    """What changes about a job."""

    job_desc: str
    """New explanation, up to 256 characters."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.job_desc = take("job_desc", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> UpdateVisualizationJobRequestDict: ...


class UpdateVisualizationJobRequestDict(TypedDict, total=False):
    """`UpdateVisualizationJobRequest` as a dict."""

    job_desc: Required[str]

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class JobMetadataChangeRequest(Model):
    """What changes in the metadata of a job."""

    annotation: _models.JobAnnotationChangeRequest | Unset = UNSET
    """Settings of advanced functions, by name."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.annotation = take("annotation", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> JobMetadataChangeRequestDict: ...


class JobMetadataChangeRequestDict(TypedDict, total=False):
    """`JobMetadataChangeRequest` as a dict."""

    annotation: _models.JobAnnotationChangeRequest

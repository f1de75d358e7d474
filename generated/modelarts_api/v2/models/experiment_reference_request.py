# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset


@attrs.define(kw_only=True, repr=False, eq=False)
class ExperimentReferenceRequest(Model):
    """The experiment that a job joins: one that exists by its `id`, or a new one by its `name`."""

    id: str | Unset = UNSET
    """Id of an experiment that exists."""
    name: str | Unset = UNSET
    """Name of an experiment that is created with the job, up to 64 characters."""
    description: str | Unset = UNSET
    """Description of the new experiment for readers, up to 256 characters."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.id = take("id", UNSET)
        self.name = take("name", UNSET)
        self.description = take("description", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> ExperimentReferenceRequestDict: ...


class ExperimentReferenceRequestDict(TypedDict, total=False):
    """`ExperimentReferenceRequest` as a dict."""

    id: str
    name: str
    description: str

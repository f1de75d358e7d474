# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Required, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset


@attrs.define(kw_only=True, repr=False, eq=False)
class ExperimentMetadataRequest(Model):
    """Name and other data of a new experiment."""

    name: str
    """Name of the experiment, up to 64 characters without special ones."""
    description: str | Unset = UNSET
    """Description of the experiment for readers, up to 256 characters."""
    workspace_id: str | Unset = UNSET
    """Workspace that the experiment belongs to; `0` is the default workspace.
    The service's default: '0'.
    """
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.name = take("name", UNSET)
        self.description = take("description", UNSET)
        self.workspace_id = take("workspace_id", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> ExperimentMetadataRequestDict: ...


class ExperimentMetadataRequestDict(TypedDict, total=False):
    """`ExperimentMetadataRequest` as a dict."""

    name: Required[str]
    description: str
    workspace_id: str

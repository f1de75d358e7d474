# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Required, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset


@attrs.define(kw_only=True, repr=False, eq=False)
class AlgorithmMetadataRequest(Model):
    """Name and other data that describe a new algorithm."""

    name: str
    """1 to 64 letters, digits, `_` and `-`; unique in the project."""
    id: int | str | Unset = UNSET
    """To be left out; the service gives the id."""
    description: str | Unset = UNSET
    """Description of the algorithm for readers, up to 256 characters."""
    workspace_id: str | Unset = UNSET
    """Workspace that the algorithm belongs to; `0` is the default workspace.
    The service's default: '0'.
    """
    ai_project: str | Unset = UNSET
    """Project in an older sense that the service no longer uses; leave it out.
    The service's default: 'default-ai-project'.
    """
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.name = take("name", UNSET)
        self.id = take("id", UNSET)
        self.description = take("description", UNSET)
        self.workspace_id = take("workspace_id", UNSET)
        self.ai_project = take("ai_project", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> AlgorithmMetadataRequestDict: ...


class AlgorithmMetadataRequestDict(TypedDict, total=False):
    """`AlgorithmMetadataRequest` as a dict."""

    name: Required[str]
    id: int | str
    description: str
    workspace_id: str
    ai_project: str

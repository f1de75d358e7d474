# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class FindJobsByTagsRequest(Model):
    """What the labels and names of the wanted jobs have to be."""

    workspace_id: str | Unset = UNSET
    """Workspace to look in; `0` is the default workspace.
    The service's default: '0'.
    """
    tags: Sequence[_models.TagConditionRequest] | Unset = UNSET
    """Conditions of which a job meets all; no key twice."""
    without_any_tag: bool | Unset = UNSET
    """Whether only jobs without labels are wanted; `tags` is then ignored.
    The service's default: False.
    """
    matches: Sequence[_models.NameConditionRequest] | Unset = UNSET
    """Condition of the name, one at most."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.workspace_id = take("workspace_id", UNSET)
        value = take("tags", UNSET)
        self.tags = (
            [_models.TagConditionRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.without_any_tag = take("without_any_tag", UNSET)
        value = take("matches", UNSET)
        self.matches = (
            [_models.NameConditionRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> FindJobsByTagsRequestDict: ...


class FindJobsByTagsRequestDict(TypedDict, total=False):
    """`FindJobsByTagsRequest` as a dict."""

    workspace_id: str
    tags: Sequence[_models.TagConditionRequestDict]
    without_any_tag: bool
    matches: Sequence[_models.NameConditionRequestDict]

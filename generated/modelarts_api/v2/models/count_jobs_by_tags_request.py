# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class CountJobsByTagsRequest(Model):
    """What the labels and names of the counted jobs have to be."""

    tags: Sequence[_models.CountTagConditionRequest] | Unset = UNSET
    """Conditions; a job must meet all of them."""
    matches: Sequence[_models.CountNameConditionRequest] | Unset = UNSET
    """Condition of the name, one at most."""
    workspace_id: str | Unset = UNSET
    """Workspace to look in; `0` is the default workspace.
    The service's default: '0'.
    """
    without_any_tag: bool | Unset = UNSET
    """Whether only jobs without labels are counted; `tags` is then ignored.
    The service's default: False.
    """
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("tags", UNSET)
        self.tags = (
            [_models.CountTagConditionRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        value = take("matches", UNSET)
        self.matches = (
            [_models.CountNameConditionRequest.from_dict(item) if isinstance(item, dict) else item for item in value]
            if isinstance(value, list)
            else value
        )
        self.workspace_id = take("workspace_id", UNSET)
        self.without_any_tag = take("without_any_tag", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> CountJobsByTagsRequestDict: ...


class CountJobsByTagsRequestDict(TypedDict, total=False):
    """`CountJobsByTagsRequest` as a dict."""

    tags: Sequence[_models.CountTagConditionRequestDict]
    matches: Sequence[_models.CountNameConditionRequestDict]
    workspace_id: str
    without_any_tag: bool

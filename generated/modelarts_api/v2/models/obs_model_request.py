# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Required, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset


@attrs.define(kw_only=True, repr=False, eq=False)
class ObsModelRequest(Model):
    """Where a model is stored."""

    obs_path: str
    """Folder in object storage, as `obs://bucket/path`."""
    local_path: str | Unset = UNSET
    """Folder on the node that the model is in."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.obs_path = take("obs_path", UNSET)
        self.local_path = take("local_path", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> ObsModelRequestDict: ...


class ObsModelRequestDict(TypedDict, total=False):
    """`ObsModelRequest` as a dict."""

    obs_path: Required[str]
    local_path: str

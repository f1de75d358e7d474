# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Required, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET


@attrs.define(kw_only=True, repr=False, eq=False)
class SummaryNfsRequest(Model):
    """A folder of a file system (SFS Turbo) with logs."""

    nfs_path: str
    """Address of the file system and path in it."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.nfs_path = take("nfs_path", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> SummaryNfsRequestDict: ...


class SummaryNfsRequestDict(TypedDict, total=False):
    """`SummaryNfsRequest` as a dict."""

    nfs_path: Required[str]

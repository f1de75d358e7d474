# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset


@attrs.define(kw_only=True, repr=False, eq=False)
class LogExportPathRequest(Model):
    """Where the log of a job is kept beyond the service's 30 days."""

    obs_url: str | Unset = UNSET
    """Folder in object storage; an empty text is the same as none."""
    host_path: str | Unset = UNSET
    """Folder on the machine that the task runs on."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.obs_url = take("obs_url", UNSET)
        self.host_path = take("host_path", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> LogExportPathRequestDict: ...


class LogExportPathRequestDict(TypedDict, total=False):
    """`LogExportPathRequest` as a dict."""

    obs_url: str
    host_path: str

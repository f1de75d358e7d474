# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class LogExportConfigRequest(Model):
    """Form in which logs are exported."""

    version: _models.LogExportConfigRequestVersion | Unset = UNSET
    """Version of the form.
    The service's default: 'v0'.
    """
    rotation_enabled: bool | Unset = UNSET
    """Whether logs come in slices of time.
    The service's default: False.
    """
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.version = take("version", UNSET)
        self.rotation_enabled = take("rotation_enabled", UNSET)
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> LogExportConfigRequestDict: ...


class LogExportConfigRequestDict(TypedDict, total=False):
    """`LogExportConfigRequest` as a dict."""

    version: _models.LogExportConfigRequestVersion
    rotation_enabled: bool

# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Required, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class OutputRemoteRequest(Model):
    """Where the data of an output channel goes."""

    obs: _models.ObsLocationRequest
    """Folder in object storage that receives the files."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("obs", UNSET)
        self.obs = _models.ObsLocationRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> OutputRemoteRequestDict: ...


class OutputRemoteRequestDict(TypedDict, total=False):
    """`OutputRemoteRequest` as a dict."""

    obs: Required[_models.ObsLocationRequestDict]

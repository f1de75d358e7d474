# Generated from openapi/iam by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class ScopeRequest(Model):
    """What a token is good for. A project wins over an account if both are given."""

    project: _models.ProjectRequest | Unset = UNSET
    """One project, for services of a region such as ModelArts."""
    domain: _models.DomainRequest | Unset = UNSET
    """The whole account, for global services."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("project", UNSET)
        self.project = _models.ProjectRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("domain", UNSET)
        self.domain = _models.DomainRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> ScopeRequestDict: ...


class ScopeRequestDict(TypedDict, total=False):
    """`ScopeRequest` as a dict."""

    project: _models.ProjectRequestDict
    domain: _models.DomainRequestDict

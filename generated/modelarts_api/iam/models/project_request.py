# Generated from openapi/iam by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict

import attrs
from modelarts_runtime.model import Model
from modelarts_runtime.types import UNSET, Unset

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class ProjectRequest(Model):
    """A project, by name or by id. The name is that of the region; it may not be empty, although one published example
    has it so.
    """

    name: str | Unset = UNSET
    """Name of the project: the region, or region and subproject."""
    id: str | Unset = UNSET
    """Id of the project."""
    domain: _models.DomainRequest | Unset = UNSET
    """Account that the project belongs to."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.name = take("name", UNSET)
        self.id = take("id", UNSET)
        value = take("domain", UNSET)
        self.domain = _models.DomainRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

    if TYPE_CHECKING:

        def to_dict(self) -> ProjectRequestDict: ...


class ProjectRequestDict(TypedDict, total=False):
    """`ProjectRequest` as a dict."""

    name: str
    id: str
    domain: _models.DomainRequestDict

# Generated from openapi/iam by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.domain_request import DomainRequest
    from ..models.project_request import ProjectRequest


@attrs.define(kw_only=True, repr=False)
class ScopeRequest(Model):
    """What a token is good for. A project wins over an account if both are given."""

    project: ProjectRequest | Unset = UNSET
    """One project, for services of a region such as ModelArts."""
    domain: DomainRequest | Unset = UNSET
    """The whole account, for global services."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("project", "project"),
        ("domain", "domain"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("project", UNSET)
        self.project = models.ProjectRequest.from_dict(value) if isinstance(value, dict) else value
        value = take("domain", UNSET)
        self.domain = models.DomainRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

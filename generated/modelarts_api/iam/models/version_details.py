# Generated from openapi/iam by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET
from .. import models

if TYPE_CHECKING:
    from ..models.version import Version


@attrs.define(kw_only=True, repr=False)
class VersionDetails(Model):
    """One version of the identity API."""

    version: Version
    """The version."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (("version", "version"),)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("version", UNSET)
        self.version = models.Version.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

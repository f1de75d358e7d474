# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET
from .. import models

if TYPE_CHECKING:
    from ..models.summary_pfs_request import SummaryPfsRequest


@attrs.define(kw_only=True, repr=False)
class SummaryLogDirRequest(Model):
    """Place of the logs that a visualization tool reads."""

    pfs: SummaryPfsRequest
    """Folder in a parallel file system."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (("pfs", "pfs"),)

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("pfs", UNSET)
        self.pfs = models.SummaryPfsRequest.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

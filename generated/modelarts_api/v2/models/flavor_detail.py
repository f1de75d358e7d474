# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.billing import Billing
    from ..models.flavor_info import FlavorInfo


@attrs.define(kw_only=True, repr=False)
class FlavorDetail(Model):
    """The flavor of a job, repeated in the job. Only jobs in the public pool have it."""

    flavor_type: str | None | Unset = UNSET
    """Kind of processor that counts.
    Known values: CPU, GPU.
    """
    billing: Billing | None | Unset = UNSET
    """How the flavor is charged."""
    flavor_info: FlavorInfo | None | Unset = UNSET
    """Processors, memory and disk of one node."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("flavor_type", "flavor_type"),
        ("billing", "billing"),
        ("flavor_info", "flavor_info"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.flavor_type = take("flavor_type", UNSET)
        value = take("billing", UNSET)
        self.billing = models.Billing.from_dict(value) if isinstance(value, dict) else value
        value = take("flavor_info", UNSET)
        self.flavor_info = models.FlavorInfo.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

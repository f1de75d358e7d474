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
    from ..models.flavor_attributes import FlavorAttributes
    from ..models.flavor_info import FlavorInfo


@attrs.define(kw_only=True, repr=False)
class Flavor(Model):
    """A size of machine that a node of a training job can have."""

    flavor_id: str | None | Unset = UNSET
    """What `spec.resource.flavor_id` of a job has to say to get this flavor."""
    flavor_name: str | None | Unset = UNSET
    """A label for people."""
    max_num: int | None | Unset = UNSET
    """Most nodes of this flavor in one job. The examples print it in `flavor_info` only."""
    flavor_type: str | None | Unset = UNSET
    """Kind of processor that counts.
    Known values: CPU, GPU.
    """
    billing: Billing | None | Unset = UNSET
    """How the flavor is charged."""
    flavor_info: FlavorInfo | None | Unset = UNSET
    """Processors, memory and disk of one node."""
    attributes: FlavorAttributes | None | Unset = UNSET
    """More properties of the flavor."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("flavor_id", "flavor_id"),
        ("flavor_name", "flavor_name"),
        ("max_num", "max_num"),
        ("flavor_type", "flavor_type"),
        ("billing", "billing"),
        ("flavor_info", "flavor_info"),
        ("attributes", "attributes"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.flavor_id = take("flavor_id", UNSET)
        self.flavor_name = take("flavor_name", UNSET)
        self.max_num = take("max_num", UNSET)
        self.flavor_type = take("flavor_type", UNSET)
        value = take("billing", UNSET)
        self.billing = models.Billing.from_dict(value) if isinstance(value, dict) else value
        value = take("flavor_info", UNSET)
        self.flavor_info = models.FlavorInfo.from_dict(value) if isinstance(value, dict) else value
        value = take("attributes", UNSET)
        self.attributes = models.FlavorAttributes.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

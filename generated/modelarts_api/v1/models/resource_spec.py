# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class ResourceSpec(Model):
    """A size of machine."""

    spec_id: int
    """Id of the size: the `spec_id` of a job."""
    spec_code: str | None | Unset = UNSET
    """Name of the size: the `flavor.code` of a job."""
    core: str | None | Unset = UNSET
    """Processor cores."""
    cpu: str | None | Unset = UNSET
    """Memory in GB."""
    gpu_num: int | None | Unset = UNSET
    """GPUs."""
    gpu_type: str | None | Unset = UNSET
    """Kind of the GPUs; empty without any."""
    max_num: int | None | Unset = UNSET
    """Most nodes of this size in one job."""
    unit_num: int | None | Unset = UNSET
    """Number of billing units."""
    storage: str | None | Unset = UNSET
    """Size of the disk; empty in the examples."""
    interface_type: int | None | Unset = UNSET
    """Kind of interface; its values are not documented, the examples have 1."""
    no_resource: bool | None | Unset = UNSET
    """Whether machines of this size are sold out."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("spec_id", "spec_id"),
        ("spec_code", "spec_code"),
        ("core", "core"),
        ("cpu", "cpu"),
        ("gpu_num", "gpu_num"),
        ("gpu_type", "gpu_type"),
        ("max_num", "max_num"),
        ("unit_num", "unit_num"),
        ("storage", "storage"),
        ("interface_type", "interface_type"),
        ("no_resource", "no_resource"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.spec_id = take("spec_id", UNSET)
        self.spec_code = take("spec_code", UNSET)
        self.core = take("core", UNSET)
        self.cpu = take("cpu", UNSET)
        self.gpu_num = take("gpu_num", UNSET)
        self.gpu_type = take("gpu_type", UNSET)
        self.max_num = take("max_num", UNSET)
        self.unit_num = take("unit_num", UNSET)
        self.storage = take("storage", UNSET)
        self.interface_type = take("interface_type", UNSET)
        self.no_resource = take("no_resource", UNSET)
        self.additional_properties = rest
        return self

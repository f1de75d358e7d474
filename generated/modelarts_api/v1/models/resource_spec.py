# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class ResourceSpec(ResponseModel):
    """A resource specification: the processors, memory and disk of a node."""

    spec_id: int = attrs.field(default=None)
    """Id of the specification, which jobs give as `spec_id`."""
    spec_code: str = attrs.field(default=None)
    """Name of the specification, which jobs give as `flavor.code`."""
    core: str = attrs.field(default=None)
    """Number of processor cores of a node."""
    cpu: str = attrs.field(default=None)
    """Main memory of a node in GB, despite the name."""
    gpu_num: int = attrs.field(default=None)
    """Number of GPUs of a node."""
    gpu_type: str = attrs.field(default=None)
    """Model of the GPUs; empty where the node has none."""
    max_num: int = attrs.field(default=None)
    """Largest number of nodes of this specification in one job."""
    unit_num: int = attrs.field(default=None)
    """Number of pricing units that a node counts as."""
    storage: str = attrs.field(default=None)
    """Size of the disk; empty in the examples."""
    interface_type: int = attrs.field(default=None)
    """Kind of interface; its values are not documented, the examples have 1."""
    no_resource: bool = attrs.field(default=None)
    """Whether no node of this specification is available at present."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.spec_id = take("spec_id", None)
        self.spec_code = take("spec_code", None)
        self.core = take("core", None)
        self.cpu = take("cpu", None)
        self.gpu_num = take("gpu_num", None)
        self.gpu_type = take("gpu_type", None)
        self.max_num = take("max_num", None)
        self.unit_num = take("unit_num", None)
        self.storage = take("storage", None)
        self.interface_type = take("interface_type", None)
        self.no_resource = take("no_resource", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

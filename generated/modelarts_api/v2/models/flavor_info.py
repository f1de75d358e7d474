# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs
from modelarts_runtime.model import ResponseModel

from .. import models as _models


@attrs.define(kw_only=True, repr=False, eq=False)
class FlavorInfo(ResponseModel):
    """What one node of a flavor consists of."""

    cpu: _models.Cpu = attrs.field(default=None)
    """Architecture and number of processor cores of a node."""
    memory: _models.Memory = attrs.field(default=None)
    """Size and unit of the main memory of a node."""
    max_num: int | None = None
    """Most nodes that one job can have; 1 means that the flavor cannot run distributed."""
    gpu: _models.Gpu | None = None
    """Graphics processors; absent where there are none."""
    npu: _models.Npu | None = None
    """Neural processors; absent where there are none."""
    disk: _models.Disk | None = None
    """Size and unit of the local disk of a node."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("cpu", None)
        self.cpu = _models.Cpu.from_dict(value) if isinstance(value, dict) else value
        value = take("memory", None)
        self.memory = _models.Memory.from_dict(value) if isinstance(value, dict) else value
        self.max_num = take("max_num", None)
        value = take("gpu", None)
        self.gpu = _models.Gpu.from_dict(value) if isinstance(value, dict) else value
        value = take("npu", None)
        self.npu = _models.Npu.from_dict(value) if isinstance(value, dict) else value
        value = take("disk", None)
        self.disk = _models.Disk.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        self._received = src_dict
        return self

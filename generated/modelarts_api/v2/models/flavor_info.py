# Generated from openapi/v2 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset
from .. import models

if TYPE_CHECKING:
    from ..models.cpu import Cpu
    from ..models.disk import Disk
    from ..models.gpu import Gpu
    from ..models.memory import Memory
    from ..models.npu import Npu


@attrs.define(kw_only=True, repr=False)
class FlavorInfo(Model):
    """What one node of a flavor consists of."""

    max_num: int | None | Unset = UNSET
    """Most nodes that one job can have; 1 means that the flavor cannot run distributed."""
    cpu: Cpu | None | Unset = UNSET
    """Processor cores."""
    gpu: Gpu | None | Unset = UNSET
    """Graphics processors; absent where there are none."""
    npu: Npu | None | Unset = UNSET
    """Neural processors; absent where there are none."""
    memory: Memory | None | Unset = UNSET
    """Main memory."""
    disk: Disk | None | Unset = UNSET
    """Scratch disk."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("max_num", "max_num"),
        ("cpu", "cpu"),
        ("gpu", "gpu"),
        ("npu", "npu"),
        ("memory", "memory"),
        ("disk", "disk"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.max_num = take("max_num", UNSET)
        value = take("cpu", UNSET)
        self.cpu = models.Cpu.from_dict(value) if isinstance(value, dict) else value
        value = take("gpu", UNSET)
        self.gpu = models.Gpu.from_dict(value) if isinstance(value, dict) else value
        value = take("npu", UNSET)
        self.npu = models.Npu.from_dict(value) if isinstance(value, dict) else value
        value = take("memory", UNSET)
        self.memory = models.Memory.from_dict(value) if isinstance(value, dict) else value
        value = take("disk", UNSET)
        self.disk = models.Disk.from_dict(value) if isinstance(value, dict) else value
        self.additional_properties = rest
        return self

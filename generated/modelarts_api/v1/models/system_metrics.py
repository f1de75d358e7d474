# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs

from ...model import Model
from ...types import UNSET, Unset


@attrs.define(kw_only=True, repr=False)
class SystemMetrics(Model):
    """How the nodes were used over time: figures as text, one per interval."""

    cpu_usage: list[None | str] | None | Unset = UNSET
    """Use of the processors in percent."""
    mem_usage: list[None | str] | None | Unset = UNSET
    """Use of the memory in percent."""
    gpu_util: list[None | str] | None | Unset = UNSET
    """Use of the GPUs in percent."""
    gpu_mem_usage: list[None | str] | None | Unset = UNSET
    """Use of the memory of the GPUs in percent."""
    disk_read_rate: list[None | str] | None | Unset = UNSET
    """Reading from disk; the unit is not documented."""
    disk_write_rate: list[None | str] | None | Unset = UNSET
    """Writing to disk; the unit is not documented."""
    recv_bytes_rate: list[None | str] | None | Unset = UNSET
    """Receiving from the network; the unit is not documented."""
    send_bytes_rate: list[None | str] | None | Unset = UNSET
    """Sending to the network; the unit is not documented."""
    interval: int | None | Unset = UNSET
    """Time between two figures in minutes."""
    additional_properties: dict[str, Any] = attrs.field(init=False, factory=dict)

    _members: ClassVar[tuple[tuple[str, str], ...]] = (
        ("cpu_usage", "cpuUsage"),
        ("mem_usage", "memUsage"),
        ("gpu_util", "gpuUtil"),
        ("gpu_mem_usage", "gpuMemUsage"),
        ("disk_read_rate", "diskReadRate"),
        ("disk_write_rate", "diskWriteRate"),
        ("recv_bytes_rate", "recvBytesRate"),
        ("send_bytes_rate", "sendBytesRate"),
        ("interval", "interval"),
    )

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its members are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        self.cpu_usage = take("cpuUsage", UNSET)
        self.mem_usage = take("memUsage", UNSET)
        self.gpu_util = take("gpuUtil", UNSET)
        self.gpu_mem_usage = take("gpuMemUsage", UNSET)
        self.disk_read_rate = take("diskReadRate", UNSET)
        self.disk_write_rate = take("diskWriteRate", UNSET)
        self.recv_bytes_rate = take("recvBytesRate", UNSET)
        self.send_bytes_rate = take("sendBytesRate", UNSET)
        self.interval = take("interval", UNSET)
        self.additional_properties = rest
        return self

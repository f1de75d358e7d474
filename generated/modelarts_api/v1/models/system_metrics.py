# Generated from openapi/v1 by scripts/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import attrs
from modelarts_runtime.model import ResponseModel


@attrs.define(kw_only=True, repr=False, eq=False)
class SystemMetrics(ResponseModel):
    """How the nodes were used over time: figures as text, one per interval."""

    cpu_usage: list[str | None] = attrs.field(factory=list)
    """Use of the processors in percent."""
    mem_usage: list[str | None] = attrs.field(factory=list)
    """Use of the memory in percent."""
    gpu_util: list[str | None] = attrs.field(factory=list)
    """Use of the GPUs in percent."""
    gpu_mem_usage: list[str | None] = attrs.field(factory=list)
    """Use of the memory of the GPUs in percent."""
    disk_read_rate: list[str | None] = attrs.field(factory=list)
    """Reading from disk; the unit is not documented."""
    disk_write_rate: list[str | None] = attrs.field(factory=list)
    """Writing to disk; the unit is not documented."""
    recv_bytes_rate: list[str | None] = attrs.field(factory=list)
    """Receiving from the network; the unit is not documented."""
    send_bytes_rate: list[str | None] = attrs.field(factory=list)
    """Sending to the network; the unit is not documented."""
    interval: int | None = None
    """Time between two figures in minutes."""
    additional_properties: dict[str, Any] = attrs.field(factory=dict)
    _received: Mapping[str, Any] = attrs.field(factory=dict, alias="_received")

    _names: ClassVar[Mapping[str, str]] = {
        "cpu_usage": "cpuUsage",
        "mem_usage": "memUsage",
        "gpu_util": "gpuUtil",
        "gpu_mem_usage": "gpuMemUsage",
        "disk_read_rate": "diskReadRate",
        "disk_write_rate": "diskWriteRate",
        "recv_bytes_rate": "recvBytesRate",
        "send_bytes_rate": "sendBytesRate",
    }

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        """The model of a JSON object, whatever its fields are; see `Model`."""
        self = cls.__new__(cls)
        rest = dict(src_dict)
        take = rest.pop
        value = take("cpuUsage", None)
        self.cpu_usage = [] if value is None else value
        value = take("memUsage", None)
        self.mem_usage = [] if value is None else value
        value = take("gpuUtil", None)
        self.gpu_util = [] if value is None else value
        value = take("gpuMemUsage", None)
        self.gpu_mem_usage = [] if value is None else value
        value = take("diskReadRate", None)
        self.disk_read_rate = [] if value is None else value
        value = take("diskWriteRate", None)
        self.disk_write_rate = [] if value is None else value
        value = take("recvBytesRate", None)
        self.recv_bytes_rate = [] if value is None else value
        value = take("sendBytesRate", None)
        self.send_bytes_rate = [] if value is None else value
        self.interval = take("interval", None)
        self.additional_properties = rest
        self._received = src_dict
        return self

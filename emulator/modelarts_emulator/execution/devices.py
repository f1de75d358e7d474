"""The accelerators of this machine, and what a task is told of its own.

This module imports the standard library only, because every task's controller process also imports it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["gpu", "npu"]


@dataclass(frozen=True, slots=True)
class Device:
    """A card, or a slice of one.

    `id` is what programs know it by: NVIDIA's UUID (`GPU-...`, `MIG-...`), or the logical number of an Ascend NPU.
    `index` is the number by which people choose it: `0`, or `0.1` for the second slice of card 0.
    `card` is the id of the card that it is a slice of, `memory_bytes` None if that is not known.
    """

    id: str
    kind: Kind = "gpu"
    index: str = ""
    name: str = ""
    memory_bytes: int | None = None
    card: str = ""

    def __str__(self) -> str:
        return f"{self.kind.upper()} {self.index or self.id}{f' ({self.name})' if self.name else ''}"


@dataclass(frozen=True, slots=True)
class Pool:
    """The accelerators that an emulator gives out, each to `tasks_per_device` tasks at once."""

    devices: tuple[Device, ...]
    tasks_per_device: int = 1

    def most_nodes(self, kind: Kind, count: int) -> int:
        """How many nodes there can be at once with so many accelerators each; a node has none of them twice."""
        found = sum(device.kind == kind for device in self.devices)
        return found * self.tasks_per_device // count if count <= found else 0


def devices_from_json(nodes: Iterable[Iterable[Mapping[str, Any]]]) -> tuple[tuple[Device, ...], ...]:
    """The devices of each node, of which JSON values have the members."""
    return tuple(tuple(Device(**device) for device in own) for own in nodes)

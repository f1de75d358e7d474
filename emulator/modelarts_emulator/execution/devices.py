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

    devices: tuple[Device, ...] = ()
    tasks_per_device: int = 1

    def of(self, kind: str) -> list[Device]:
        """Those of this kind."""
        return [device for device in self.devices if device.kind == kind]

    def most_nodes(self, kind: str, count: int) -> int | None:
        """How many nodes with so many of a kind there can be at once; None if there are none of the kind to count.

        A node has no accelerator twice.
        """
        found = len(self.of(kind))
        if not found or not count:
            return None
        return found * self.tasks_per_device // count if count <= found else 0


def devices_from_json(nodes: Iterable[Iterable[Mapping[str, Any]]]) -> tuple[tuple[Device, ...], ...]:
    """The devices of each node, of which JSON values have the members."""
    return tuple(tuple(Device(**device) for device in own) for own in nodes)

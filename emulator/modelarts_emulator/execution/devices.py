"""The accelerators of this machine, and what a task is told of its own.

This module imports the standard library only, because every task's controller process also imports it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["gpu", "npu"]

Wanted = tuple[Kind, int]
"""Of which kind and how many accelerators a node takes, at least one."""


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

    def of(self, kind: Kind) -> list[Device]:
        """Those of this kind."""
        return [device for device in self.devices if device.kind == kind]

    def most_nodes(self, wanted: Wanted) -> int:
        """How many nodes there can be at once; a node has no accelerator twice."""
        found, count = len(self.of(wanted[0])), wanted[1]
        return found * self.tasks_per_device // count if count <= found else 0


def devices_from_json(nodes: Iterable[Iterable[Mapping[str, Any]]]) -> tuple[tuple[Device, ...], ...]:
    """The devices of each node, of which JSON values have the members."""
    return tuple(tuple(Device(**device) for device in own) for own in nodes)

"""The accelerators of this machine, and what a task is told of its own.

This module imports the standard library only, because every task's controller process also imports it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["gpu", "npu"]

VISIBLE: dict[Kind, tuple[str, str]] = {
    "gpu": ("CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES"),
    "npu": ("ASCEND_RT_VISIBLE_DEVICES", "ASCEND_VISIBLE_DEVICES"),
}
"""The variables that name the devices of a process: its libraries read the first one, runtimes of containers the other.

Sources: CUDA C++ Programming Guide, "CUDA Environment Variables"; CANN, "ASCEND_RT_VISIBLE_DEVICES".
"""


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


def devices_from_json(nodes: Iterable[Iterable[Mapping[str, Any]]]) -> tuple[tuple[Device, ...], ...]:
    """The devices of each node, of which JSON values have the members."""
    return tuple(tuple(Device(**device) for device in own) for own in nodes)


def named_devices(devices: Iterable[Device], entry: str) -> list[Device]:
    """The devices that an entry names: a number, an id or a beginning that only one id has.

    A card that is divided into slices stands for all of them.
    """
    if entry[:1].isdecimal():
        return [each for each in devices if entry in (each.index, each.index.partition(".")[0])]
    begun = [each for each in devices if entry.startswith(("GPU-", "MIG-")) and each.id.startswith(entry)]
    return begun if len(begun) == 1 else [each for each in devices if entry and entry in (each.id, each.card)]


def visible_devices(devices: Iterable[Device], text: str | None) -> tuple[Device, ...]:
    """Those that a process sees with this value of the variable, in its order; all without a value.

    As in CUDA, the first entry that names no device ends the list, so an empty value, `-1` and `NoDevFiles` name none.
    """
    devices = tuple(devices)
    if text is None:
        return devices
    found: dict[Device, None] = {}
    for entry in text.split(","):
        if not (named := named_devices(devices, entry.strip())):
            break
        found |= dict.fromkeys(named)
    return tuple(found)

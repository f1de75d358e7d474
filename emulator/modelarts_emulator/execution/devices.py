"""The accelerators of this machine, and what a task is told of its own.

This module imports the standard library only, because every task's controller process also imports it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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

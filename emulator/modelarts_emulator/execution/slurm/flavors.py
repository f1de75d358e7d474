"""What flavors are at Slurm: the member `slurm` of the catalogue's flavors."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from modelarts_emulator.execution.protocol import Resources
from modelarts_emulator.http.errors import EmulatorError

__all__ = ["SlurmFlavor", "read_flavors"]

_MEMORY = re.compile(r"\d+[KMGT]?")
_WORD = re.compile(r"[^\s,]+(,[^\s,]+)*")


@dataclass(frozen=True, slots=True)
class SlurmFlavor:
    """What a node of a flavor is at Slurm, as the member `slurm` of the catalogue's flavor says.

    What is not set is taken from the flavor: its cores, its memory, its GPUs as `gres` of type gpu.
    """

    partition: str | None = None
    account: str | None = None
    qos: str | None = None
    reservation: str | None = None
    constraint: str | None = None
    cpus: int | None = None
    memory: str | None = None
    gres: str | None = None

    @classmethod
    def read(cls, where: str, given: Mapping[str, Any]) -> SlurmFlavor:
        """The member `slurm`; raises EmulatorError that names the place if it is not one."""
        known = [entry.name for entry in fields(cls)]
        for name, value in given.items():
            if name not in known:
                raise EmulatorError(f"{where}: slurm has the unknown member {name}; known are: {', '.join(known)}")
            if name == "cpus":
                if type(value) is not int or value < 1:
                    raise EmulatorError(f"{where}: slurm.cpus must be an integer of at least 1, not {value!r}")
            elif not isinstance(value, str) or not _WORD.fullmatch(value):
                raise EmulatorError(f"{where}: slurm.{name} must be a text without spaces, not {value!r}")
        if "memory" in given and not _MEMORY.fullmatch(given["memory"]):
            raise EmulatorError(f'{where}: slurm.memory must be a size like "512M" or "8G", not {given["memory"]!r}')
        return cls(**given)

    def options(self, resources: Resources) -> list[str]:
        """The options that ask for one such node."""
        cores, memory_bytes = resources.cpu_cores, resources.memory_bytes
        cpus = self.cpus or (math.ceil(cores) if cores else 1)
        memory = self.memory or (f"{math.ceil(memory_bytes / 2**20)}M" if memory_bytes else None)
        gres = self.gres or (f"gpu:{resources.gpu_count}" if resources.gpu_count else None)
        asked = {
            "partition": self.partition,
            "account": self.account,
            "qos": self.qos,
            "reservation": self.reservation,
            "constraint": self.constraint,
            "cpus-per-task": cpus,
            "mem": memory,
            "gres": gres,
        }
        return [f"--{name}={value}" for name, value in asked.items() if value is not None]


def read_flavors(flavors: Mapping[str, Mapping[str, Any]]) -> dict[str, SlurmFlavor]:
    """Of every flavor of a catalogue what it is at Slurm; raises EmulatorError for a wrong member `slurm`."""
    return {
        flavor_id: SlurmFlavor.read(f"flavor {flavor_id}", flavor.get("slurm", {}))
        for flavor_id, flavor in flavors.items()
    }

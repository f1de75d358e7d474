"""What nvidia-smi and npu-smi say of the accelerators of this machine: which there are, how busy, and how full.

Sources: the manual of nvidia-smi (`--query-gpu`, `--query-compute-apps`, `-L`), and Huawei's reference of npu-smi
(`info`, `info -m`). What a tool does not say is None, also where it prints "[N/A]".
"""

from __future__ import annotations

import logging
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import NoReturn

from modelarts_emulator.execution.devices import VISIBLE, Device, Kind, visible_devices

log = logging.getLogger(__name__)

RUNNING: dict[int, subprocess.Popen[str]] = {}
"""The processes of tools that run now, by number: children of this process that no task has started."""
TIMEOUT_S = 10.0
"""How long a tool may take: a driver without its daemon needs a second for each card."""

_CARD = "index,uuid,memory.total,memory.used,utilization.gpu,name"
_MODE = "mig.mode.current"
_PROCESSES = "--query-compute-apps=gpu_uuid,pid,used_memory,process_name"
_CSV = "--format=csv,noheader,nounits"


class DeviceToolError(Exception):
    """A tool took too long, or printed no list of devices; the text is what it printed."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a tool says of a device now: percent, bytes."""

    device: Device
    utilization: float | None = None
    used_bytes: int | None = None


def read_gpus(tool: str, timeout_s: float) -> list[Reading]:
    """Read all cards with NVIDIA's tool; in place of a divided one its slices, of which it has no readings.

    It counts cards by their places on the PCI bus, CUDA only with CUDA_DEVICE_ORDER=PCI_BUS_ID. Raises DeviceToolError,
    or OSError if the tool cannot be started.
    """
    output = _run(timeout_s, tool, f"--query-gpu={_MODE},{_CARD}", _CSV)
    rows = _rows(output, 7)
    if not rows and _MODE in output:  # a driver that knows no slices
        output = _run(timeout_s, tool, f"--query-gpu={_CARD}", _CSV)
        rows = [["", *row] for row in _rows(output, 6)]
    rows = [row for row in rows if row[2].startswith("GPU-")] or _fail(output)
    listed = _run(timeout_s, tool, "-L") if any(mode == "Enabled" for mode, *_ in rows) else ""
    found: list[Reading] = []
    for mode, index, uuid, total, used, busy, name in rows:
        card = Device(uuid, "gpu", index, name, _mib(total))
        whole = Reading(card, _percent(busy), _mib(used))
        found += map(Reading, _slices(card, listed)) if mode == "Enabled" else [whole]
    return found


def _slices(card: Device, listed: str) -> list[Device]:
    """The slices of the card, which `-L` lists after it, such as `MIG 1g.5gb Device 0: (UUID: MIG-...)`."""
    found = []
    for line in listed.partition(f"(UUID: {card.id})")[2].partition("GPU ")[0].splitlines():
        words = line.split()
        if words[:1] == ["MIG"] and len(words) == 6:
            profile, number, uuid = words[1], words[3].rstrip(":"), words[5].rstrip(")")
            size = profile.partition("gb")[0].rpartition(".")[2]  # 1g.5gb has 5 GB
            memory = int(size) << 30 if size.isdecimal() else None
            name = f"{card.name} MIG {profile}"
            found.append(Device(uuid, "gpu", f"{card.index}.{number}", name, memory, card.id))
    return found


def gpu_processes(tool: str) -> list[tuple[str, int, str, int]]:
    """The processes that NVIDIA's tool knows: id of the card, number, program, bytes that it has of the card.

    Raises as `read_gpus`.
    """
    rows = _rows(_run(TIMEOUT_S, tool, _PROCESSES, _CSV), 4)
    return [(uuid, int(pid), name, _mib(used) or 0) for uuid, pid, used, name in rows if pid.isdecimal()]


def read_npus(tool: str, timeout_s: float) -> list[Reading]:
    """Read all chips with Huawei's tool, which prints two lines for each; raises as `read_gpus`.

    One begins with the number of its card, the other with its number on the card.
    """
    chips, card = _chips(tool, timeout_s), ""
    found = {chip: Reading(device) for chip, device in chips.items()}
    for line in _run(timeout_s, tool, "info").splitlines():
        cells = [cell.split() for cell in line.replace("/", " ").strip().strip("|").split("|")]
        if len(cells) != 3 or not all(cells):
            continue
        (number, *_), (health_or_bus, *_), (busy, *memory) = cells
        if ":" not in health_or_bus:
            card = number
        elif device := chips.get((card, number)):
            sizes = [pair for pair in zip(memory[::2], memory[1::2], strict=False) if pair[1] != "0"]
            used, total = sizes[-1] if sizes else ("", "")
            found[card, number] = Reading(replace(device, memory_bytes=_mib(total)), _percent(busy), _mib(used))
    return list(found.values())


@cache
def _chips(tool: str, timeout_s: float) -> Mapping[tuple[str, str], Device]:
    """The chips by card and number on it; programs know one by its logical number, which other processors have not."""
    output = _run(timeout_s, tool, "info", "-m")
    before_name = 4 if "Phy-ID" in output else 3
    rows = [line.split() for line in output.splitlines()]
    return {
        (row[0], row[1]): Device(row[2], "npu", row[2], " ".join(row[before_name:]))
        for row in rows
        if len(row) > before_name and row[2].isdecimal()
    } or _fail(output)


TOOLS: Mapping[Kind, tuple[str, Callable[[str, float], list[Reading]]]] = {
    "gpu": ("nvidia-smi", read_gpus),
    "npu": ("npu-smi", read_npus),
}
"""By kind of device, the program that shows them, and what reads it."""


def find_devices(
    environ: Mapping[str, str], timeout_s: float = TIMEOUT_S, report: Callable[[str], object] = log.warning
) -> tuple[Device, ...]:
    """The accelerators of this machine, as far as CUDA_VISIBLE_DEVICES or ASCEND_RT_VISIBLE_DEVICES shows them.

    Numbers in these variables are those that the tools print. A tool that fails gives none, which is reported.
    """
    found: list[Device] = []
    for kind, (program, read) in TOOLS.items():
        tool = shutil.which(program, path=environ.get("PATH"))
        try:
            devices = [reading.device for reading in read(tool, timeout_s)] if tool else []
            found += visible_devices(devices, environ.get(VISIBLE[kind][0]))
        except (DeviceToolError, OSError) as error:
            remedy = "repair that, or start with --devices none"
            report(f"{tool} lists no accelerators ({error}), so jobs get none: {remedy}")
    return tuple(found)


def _run(timeout_s: float, *command: str) -> str:
    with subprocess.Popen(  # noqa: S603 - the first one on PATH
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        RUNNING[process.pid] = process
        try:
            return process.communicate(timeout=timeout_s)[0]
        except subprocess.TimeoutExpired:
            process.kill()
            raise DeviceToolError(f"no answer within {timeout_s:g} s") from None
        finally:
            del RUNNING[process.pid]


def _rows(output: str, count: int) -> list[list[str]]:
    """The lines with so many cells; the last cell may hold commas."""
    rows = [[cell.strip() for cell in line.split(",", count - 1)] for line in output.splitlines()]
    return [row for row in rows if len(row) == count]


def _percent(text: str) -> float | None:
    return min(100.0, float(text)) if text.isdecimal() else None


def _mib(text: str) -> int | None:
    return int(text) << 20 if text.isdecimal() else None


def _fail(output: str) -> NoReturn:
    raise DeviceToolError(output.strip().partition("\n")[0][:200] or "it printed nothing")

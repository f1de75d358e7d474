"""What nvidia-smi and npu-smi say of the accelerators of this machine: which there are, how busy, and how full.

Sources: the manual of nvidia-smi (`--query-gpu`, `--query-compute-apps`, `-L`), and Huawei's reference of npu-smi
(`info`, `info -m`). What a tool does not say is None, also where it prints "[N/A]".
"""

from __future__ import annotations

import logging
import re
import shutil
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, NoReturn

from modelarts_emulator.errors import EmulatorError
from modelarts_emulator.execution.devices import VISIBLE, Device, Kind, named_devices, visible_devices

log = logging.getLogger(__name__)

RUNNING: set[int] = set()
"""The processes of tools that run now: children of this process that no task has started."""
TIMEOUT_S = 10.0
"""How long a tool may take: a driver without its daemon needs a second for each card."""

_CARDS = "--query-gpu=index,uuid,memory.total,memory.used,utilization.gpu,mig.mode.current,name"
_PROCESSES = "--query-compute-apps=gpu_uuid,pid,used_memory,process_name"
_CSV = "--format=csv,noheader,nounits"
_CARD = re.compile(r"\|\s*(\d+)\s+[^|]+\|[^|]+\|[^|]+\|\s*$")
"""The first line of a chip; the second one has the number on the card, the bus, the utilization and the memory."""
_CHIP = re.compile(r"\|\s*(\d+)[\s\d]*\|\s*[0-9A-Fa-f]{4}:[^|]+\|\s*(\S+)([^|]*)\|\s*$")


class DeviceToolError(Exception):
    """A tool took too long, or printed no list of devices; the text is what it printed."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a tool says of a device now: percent, bytes. Of a divided card only its slices can be used."""

    device: Device
    utilization: float | None = None
    used_bytes: int | None = None
    is_divided: bool = False


class DeviceTool(ABC):
    """The tool of a vendor, at `path`; its methods raise DeviceToolError, or OSError if it cannot be started."""

    program: ClassVar[str]
    kind: ClassVar[Kind]

    def __init__(self, path: str, timeout_s: float = TIMEOUT_S) -> None:
        self.path = path
        self._timeout_s = timeout_s
        self._process: subprocess.Popen[str] | None = None

    @abstractmethod
    def read(self) -> list[Reading]:
        """Read all cards, or all chips of cards that have several."""

    def devices(self) -> list[Device]:
        """What tasks can get: in place of a divided card its slices."""
        return [reading.device for reading in self.read()]

    def processes(self) -> list[tuple[str, int, str, int]]:
        """The processes that the tool knows: id of the card, number, program, bytes that it has of the card."""
        return []

    def kill(self) -> None:
        """End the tool if it runs now, in another thread."""
        if self._process:
            self._process.kill()

    def _run(self, *arguments: str) -> str:
        with subprocess.Popen(  # noqa: S603 - the first one on PATH
            [self.path, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        ) as self._process:
            RUNNING.add(self._process.pid)
            try:
                return self._process.communicate(timeout=self._timeout_s)[0]
            except subprocess.TimeoutExpired:
                self._process.kill()
                raise DeviceToolError(f"no answer within {self._timeout_s:g} s") from None
            finally:
                RUNNING.discard(self._process.pid)


class NvidiaSmi(DeviceTool):
    """NVIDIA's tool. It counts cards by their places on the PCI bus, CUDA only with CUDA_DEVICE_ORDER=PCI_BUS_ID."""

    program = "nvidia-smi"
    kind = "gpu"

    def read(self) -> list[Reading]:
        output = self._run(_CARDS, _CSV)
        found = [
            Reading(Device(uuid, "gpu", index, name, _mib(total)), _percent(busy), _mib(used), mode == "Enabled")
            for index, uuid, total, used, busy, mode, name in _rows(output, 7)
            if uuid.startswith("GPU-")
        ]
        return found or _fail(output)

    def devices(self) -> list[Device]:
        cards = {reading.device.id: reading for reading in self.read()}
        found = [card.device for card in cards.values() if not card.is_divided]
        if len(found) == len(cards):
            return found
        found, card = [], None
        for line in self._run("-L").splitlines():
            if match := re.match(r"GPU .*\(UUID: (GPU-[^)]+)\)", line):
                card = cards.get(match[1])
                found += [card.device] if card and not card.is_divided else []
            elif card and (match := re.match(r"\s+MIG (\S+)\s+Device\s+(\d+): \(UUID: (MIG-[^)]+)\)", line)):
                profile, number, uuid = match.groups()
                size = re.search(r"(\d+)gb", profile)  # 1g.5gb has 5 GB
                memory, whole = int(size[1]) << 30 if size else None, card.device
                name = f"{whole.name} MIG {profile}"
                found.append(Device(uuid, "gpu", f"{whole.index}.{number}", name, memory, whole.id))
        return found

    def processes(self) -> list[tuple[str, int, str, int]]:
        rows = _rows(self._run(_PROCESSES, _CSV), 4)
        return [(uuid, int(pid), name, _mib(used) or 0) for uuid, pid, used, name in rows if pid.isdecimal()]


class NpuSmi(DeviceTool):
    """Huawei's tool. Programs know a chip by its logical number, the tool by its card and its number on the card."""

    program = "npu-smi"
    kind = "npu"
    _chips: Mapping[tuple[str, str], Device] = {}

    def read(self) -> list[Reading]:
        self._chips = self._chips or self._mapping()
        found, card = {chip: Reading(device) for chip, device in self._chips.items()}, ""
        for line in self._run("info").splitlines():
            if (match := _CHIP.match(line)) and (device := self._chips.get((card, match[1]))):
                memories = [pair for pair in re.findall(r"(\d+)\s*/\s*(\d+)", match[3]) if pair[1] != "0"]
                used, total = memories[-1] if memories else ("", "")
                device = replace(device, memory_bytes=_mib(total))
                found[card, match[1]] = Reading(device, _percent(match[2]), _mib(used))
            elif match := _CARD.match(line):
                card = match[1]
        return list(found.values())

    def _mapping(self) -> dict[tuple[str, str], Device]:
        """The chips by card and number on it; other processors of a card have no logical number."""
        output = self._run("info", "-m")
        before_name = 4 if "Phy-ID" in output else 3
        rows = [line.split() for line in output.splitlines()]
        return {
            (row[0], row[1]): Device(row[2], "npu", row[2], " ".join(row[before_name:]))
            for row in rows
            if len(row) > before_name and row[2].isdecimal()
        } or _fail(output)


def installed_tools(path: str | None = None, timeout_s: float = TIMEOUT_S) -> list[DeviceTool]:
    """The tools that PATH has, by default that of this process."""
    programs = [(tool, shutil.which(tool.program, path=path)) for tool in (NvidiaSmi, NpuSmi)]
    return [tool(program, timeout_s) for tool, program in programs if program]


def find_devices(environ: Mapping[str, str], timeout_s: float = TIMEOUT_S) -> tuple[Device, ...]:
    """The accelerators of this machine, as far as CUDA_VISIBLE_DEVICES or ASCEND_RT_VISIBLE_DEVICES shows them.

    Numbers in these variables are those that the tools print. A tool that fails gives none, and a warning in the log.
    """
    found: list[Device] = []
    for tool in installed_tools(environ.get("PATH"), timeout_s):
        try:
            found += visible_devices(tool.devices(), environ.get(VISIBLE[tool.kind][0]))
        except (DeviceToolError, OSError) as error:
            message = "%s lists no accelerators (%s), so jobs get none: repair that, or start with --devices none"
            log.warning(message, tool.path, error)
    return tuple(found)


def choose_devices(found: Sequence[Device], text: str) -> tuple[Device, ...]:
    """Those that a text such as `0,1,3` names, by numbers or ids; raises EmulatorError for one that does not exist."""
    chosen: dict[Device, None] = {}
    for entry in map(str.strip, text.split(",")):
        if not (named := named_devices(found, entry)):
            there = f"one of {', '.join(map(str, found))}" if found else "here: this machine has no accelerators"
            raise EmulatorError(f"--devices: {entry!r} is not {there}")
        chosen |= dict.fromkeys(named)
    return tuple(chosen)


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

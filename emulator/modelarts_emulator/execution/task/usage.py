"""Measures a task: averages over a period of processor, memory and accelerators, in percent of this machine.

The denominators are the machine's, not the flavor's: `cpuUsage` of all its cores, `memUsage` of all its memory
(resident memory of the task's processes, each counted in full, so shared pages count more than once).
Values of GPUs and NPUs are means over the task's own ones, as their tools report them; where one of these has no value,
such as the utilization of a slice of a GPU, the task has none.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import psutil

from modelarts_emulator.execution.container import TASK_MARK
from modelarts_emulator.execution.device_tools import DeviceTool, DeviceToolError, installed_tools
from modelarts_emulator.execution.devices import VISIBLE, Device, visible_devices
from modelarts_emulator.execution.protocol import METRICS, NOT_MEASURED
from modelarts_emulator.execution.task import records
from modelarts_emulator.execution.task.process_tree import own_descendants

_DEVICE_INTERVAL_S = 5.0
FULL = 0.9
"""The share of a device's memory from which on it is almost full."""
_GROWTH = 0.01
"""The share of a device's memory by which it must be fuller than before to ask again whose memory it is."""
_NAMED_PROCESSES = 3
_MAX_BYTES = 64 << 20
"""What is read of a file of averages: as many as a year of minutes has."""


class UsageSampler:
    """Collects samples and appends one line of averages per period to a file.

    `devices` are the task's own ones; with None, those that its `environment` shows. Each tool runs in a thread of its
    own, so one that hangs delays nothing.
    """

    def __init__(
        self,
        path: Path,
        period: float,
        devices: Sequence[Device] | None,
        environment: Mapping[str, str],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._path = path
        self._period = period
        self._clock = clock
        self._cores = psutil.cpu_count() or 1
        self._memory = psutil.virtual_memory().total
        self._devices, self._environment = devices, environment
        self._fullest: dict[Device, tuple[int, str]] = {}
        self._ended = threading.Event()
        kinds = VISIBLE if devices is None else {device.kind for device in devices}
        self._tools = [tool for tool in installed_tools() if tool.kind in kinds]
        self._samples: dict[str, list[float]] = {}
        self._written = False
        self._begin = clock()
        self._processor = self._processor_seconds(own_descendants())

    @property
    def interval(self) -> float:
        """Seconds between two samples."""
        return min(1.0, self._period / 5)

    def start(self) -> None:
        """Begin to run the tools, if the task may have devices."""
        for tool in self._tools:
            threading.Thread(target=self._follow, args=(tool,), daemon=True).start()

    def sample(self) -> None:
        """Measure once; write the averages if a period is over."""
        tree = own_descendants()
        self._keep("memUsage", min(100.0, 100 * _sum(tree, lambda process: process.memory_info().rss) / self._memory))
        if self._clock() - self._begin >= self._period:
            self._write(tree)

    def finish(self) -> None:
        """A task shorter than one period still gets its value."""
        self._ended.set()
        for tool in self._tools:
            tool.kill()
        if not self._written:
            self._write(own_descendants())

    def _write(self, tree: list[psutil.Process]) -> None:
        now, processor = self._clock(), self._processor_seconds(tree)
        # A process that nobody waited for takes its processor time with it: never below zero.
        used = max(0.0, processor - self._processor) / max(now - self._begin, 1e-3)
        self._keep("cpuUsage", min(100.0, 100 * used / self._cores))
        values = {name: _mean(self._samples.get(name)) for name in METRICS}
        with self._path.open("a", encoding="ascii") as stream:
            stream.write(json.dumps(values) + "\n")
        self._begin, self._processor, self._samples, self._written = now, processor, {}, True

    def _processor_seconds(self, tree: list[psutil.Process]) -> float:
        """What living processes used, and dead ones, whose time went to whoever waited for them."""
        mine = os.times()
        return mine.children_user + mine.children_system + _sum(tree, lambda process: sum(process.cpu_times()[:4]))

    def full_devices(self) -> list[str]:
        """Say of each device that was almost full how full it was at most, and who else had memory of it."""
        return [
            f"{device.kind.upper()} {device.index} ({device.name}, {_gb(device.memory_bytes or 0, 0)}) was almost full:"
            f" {_gb(used)} were in use at most{others}."
            for device, (used, others) in self._fullest.items()
        ]

    def _follow(self, tool: DeviceTool) -> None:
        pause = self.interval
        while not self._ended.wait(pause):
            with contextlib.suppress(DeviceToolError, OSError):
                self._sample_devices(tool)
            pause = min(_DEVICE_INTERVAL_S, self._period / 2)

    def _sample_devices(self, tool: DeviceTool) -> None:
        readings = {reading.device.id: reading for reading in tool.read()}
        own: Sequence[Device] = [device for device in self._devices or () if device.kind == tool.kind]
        if self._devices is None:
            shown = [reading.device for reading in readings.values()]
            own = visible_devices(shown, self._environment.get(VISIBLE[tool.kind][0]))
        if not own or any(device.id not in readings for device in own):
            return
        found = [readings[device.id] for device in own]
        busy = [reading.utilization for reading in found if reading.utilization is not None]
        if len(busy) == len(own):
            self._keep(f"{tool.kind}Util", sum(busy) / len(busy))
        memory = [(each.used_bytes, each.device.memory_bytes) for each in found if each.used_bytes is not None]
        if len(memory) == len(own) and (total := sum(size or 0 for _, size in memory)):
            self._keep(f"{tool.kind}MemUsage", min(100.0, 100 * sum(used for used, _ in memory) / total))
        for each in found:
            self._note(each.device, each.used_bytes or 0, tool)

    def _note(self, device: Device, used: int, tool: DeviceTool) -> None:
        """Keep how full the device is, if that is almost full and fuller than before."""
        size = device.memory_bytes
        most, others = self._fullest.get(device, (0, ""))
        if size and used >= FULL * size and used > most:
            self._fullest[device] = (used, others)
            if used - most >= _GROWTH * size:
                self._fullest[device] = (used, self._others(device, tool))

    def _others(self, device: Device, tool: DeviceTool) -> str:
        """Who else has memory of the device, most first; empty if nobody."""
        own = {process.pid for process in own_descendants()}
        found: Counter[str] = Counter()
        for device_id, pid, program, used in tool.processes():
            if device_id == device.id and used and pid not in own:
                found[_owner(pid, program)] += used
        text = ""
        for name, used in found.most_common(_NAMED_PROCESSES):
            text += f", {name} {_gb(used)}" if text else f"; {name} had {_gb(used)} of it"
        return text

    def _keep(self, name: str, value: float) -> None:
        self._samples.setdefault(name, []).append(value)


def read(path: Path) -> dict[str, list[float]] | None:
    """All averages so far by name, oldest first; None before the first; without the line that is being written."""
    rows = [row for line in records.read_bytes(path, _MAX_BYTES).split(b"\n")[:-1] if (row := _row(line)) is not None]
    return {name: [row[name] for row in rows] for name in METRICS} if rows else None


def _row(line: bytes) -> dict[str, float] | None:
    """The averages of a line; None if somebody else wrote it."""
    try:
        row = json.loads(line)
        return row if all(NOT_MEASURED <= row[name] <= 100 for name in METRICS) else None
    except (KeyError, TypeError, ValueError, RecursionError):
        return None


def _mean(values: list[float] | None) -> float:
    return round(sum(values) / len(values), 3) if values else NOT_MEASURED


def _sum(tree: list[psutil.Process], value: Callable[[psutil.Process], float]) -> float:
    """The sum of a value of those processes that are still there."""
    total = 0.0
    for process in tree:
        with contextlib.suppress(psutil.Error):
            total += value(process)
    return total


def _owner(pid: int, program: str) -> str:
    """Job and task of a process, else its program and number; never its arguments, which may hold secrets."""
    with contextlib.suppress(psutil.Error, OSError, LookupError, ValueError):
        folder, attempt = psutil.Process(pid).environ()[TASK_MARK].rsplit("@", 1)
        path = Path(folder)
        spec = records.read_spec(records.TaskPlace(path.parent.parent, path.parent.name, int(attempt), path.name))
        return f"{spec.job.name if spec else path.parent.name}/{path.name}"
    name = "" if program.startswith("[") else Path(program.split(" ")[0]).name
    return f"{name} (process {pid})" if name else f"process {pid}"


def _gb(size: int, digits: int = 1) -> str:
    """As nvidia-smi, PyTorch and the names of GPUs count."""
    return f"{size / (1 << 30):.{digits}f} GB"

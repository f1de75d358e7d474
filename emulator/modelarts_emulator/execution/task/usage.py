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
import shutil
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import psutil

from modelarts_emulator.execution.container import TASK_MARK
from modelarts_emulator.execution.device_tools import RUNNING, TIMEOUT_S, TOOLS, DeviceToolError, gpu_processes
from modelarts_emulator.execution.devices import VISIBLE, Device, Kind, visible_devices
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
        self, path: Path, period: float, devices: Sequence[Device] | None, environment: Mapping[str, str]
    ) -> None:
        self._path = path
        self._period = period
        self._cores = psutil.cpu_count() or 1
        self._memory = psutil.virtual_memory().total
        self._devices, self._environment = devices, environment
        self._fullest: dict[Device, tuple[int, str]] = {}
        self._interval_s = min(1.0, period / 5)
        self._samples: defaultdict[str, list[float]] = defaultdict(list)
        self._written = False
        self._begin = time.monotonic()
        self._processor = self._processor_seconds(own_descendants())

    def run(self, done: threading.Event) -> None:
        """Measure until the task is done, or the disk is full; run the tools if the task may have devices."""
        for kind in TOOLS if self._devices is None else {device.kind for device in self._devices}:
            if tool := shutil.which(TOOLS[kind][0]):
                threading.Thread(target=self._follow, args=(kind, tool, done), daemon=True).start()
        with contextlib.suppress(OSError):
            while not done.wait(self._interval_s):
                self._sample()
            if not self._written:  # a task shorter than one period still gets its value
                self._write(own_descendants())
        done.wait()
        for process in list(RUNNING.values()):
            process.kill()

    def _sample(self) -> None:
        """Measure once; write the averages if a period is over."""
        tree = own_descendants()
        self._samples["memUsage"].append(
            min(100.0, 100 * _sum(tree, lambda process: process.memory_info().rss) / self._memory)
        )
        if time.monotonic() - self._begin >= self._period:
            self._write(tree)

    def _write(self, tree: list[psutil.Process]) -> None:
        now, processor = time.monotonic(), self._processor_seconds(tree)
        # A process that nobody waited for takes its processor time with it: never below zero.
        used = max(0.0, processor - self._processor) / max(now - self._begin, 1e-3)
        self._samples["cpuUsage"].append(min(100.0, 100 * used / self._cores))
        values = {name: _mean(self._samples.get(name)) for name in METRICS}
        with self._path.open("a", encoding="ascii") as stream:
            stream.write(json.dumps(values) + "\n")
        self._begin, self._processor, self._samples, self._written = now, processor, defaultdict(list), True

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

    def _follow(self, kind: Kind, tool: str, done: threading.Event) -> None:
        pause = self._interval_s
        while not done.wait(pause):
            with contextlib.suppress(DeviceToolError, OSError):
                self._sample_devices(kind, tool)
            pause = min(_DEVICE_INTERVAL_S, self._period / 2)

    def _sample_devices(self, kind: Kind, tool: str) -> None:
        readings = {reading.device: reading for reading in TOOLS[kind][1](tool, TIMEOUT_S)}
        own = self._devices
        if own is None:
            own = visible_devices(readings, self._environment.get(VISIBLE[kind][0]))
        ids = {device.id for device in own if device.kind == kind}
        found = [reading for device, reading in readings.items() if device.id in ids]
        if not found or len(found) < len(ids):
            return
        busy = [reading.utilization for reading in found if reading.utilization is not None]
        if len(busy) == len(found):
            self._samples[f"{kind}Util"].append(sum(busy) / len(busy))
        memory = [(each.used_bytes, each.device.memory_bytes) for each in found if each.used_bytes is not None]
        if len(memory) == len(found) and (total := sum(size or 0 for _, size in memory)):
            self._samples[f"{kind}MemUsage"].append(min(100.0, 100 * sum(used for used, _ in memory) / total))
        for each in found:
            self._note(each.device, each.used_bytes or 0, tool)

    def _note(self, device: Device, used: int, tool: str) -> None:
        """Keep how full the device is, if that is almost full and fuller than before."""
        size = device.memory_bytes
        most, others = self._fullest.get(device, (0, ""))
        if size and used >= FULL * size and used > most:
            self._fullest[device] = (used, others)
            if used - most >= _GROWTH * size:
                self._fullest[device] = (used, self._others(device, tool))

    def _others(self, device: Device, tool: str) -> str:
        """Who else has memory of the device, most first; empty if nobody."""
        own = {process.pid for process in own_descendants()}
        found: Counter[str] = Counter()
        for device_id, pid, program, used in gpu_processes(tool) if device.kind == "gpu" else ():
            if device_id == device.id and used and pid not in own:
                found[_owner(pid, program)] += used
        text = ""
        for name, used in found.most_common(_NAMED_PROCESSES):
            text += f", {name} {_gb(used)}" if text else f"; {name} had {_gb(used)} of it"
        return text


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

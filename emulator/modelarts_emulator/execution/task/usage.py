"""Measures a task: averages over a period of processor, memory and accelerators, in percent of this machine.

The denominators are the machine's, not the flavor's: `cpuUsage` of all its cores, `memUsage` of all its memory
(resident memory of the task's processes, each counted in full, so shared pages count more than once).
GPU values are those of the whole machine, as nvidia-smi reports them.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from modelarts_emulator.execution.protocol import METRICS, NOT_MEASURED
from modelarts_emulator.execution.task.process_tree import own_descendants
from modelarts_emulator.execution.task.records import read_bytes

_GPU_QUERY = ["--query-gpu=utilization.gpu,memory.used,memory.total", "--format=csv,noheader,nounits"]
_GPU_INTERVAL = 5.0
_MAX_BYTES = 64 << 20
"""What is read of a file of averages: as many as a year of minutes has."""


class UsageSampler:
    """Collects samples and appends one line of averages per period to a file."""

    def __init__(self, path: Path, period: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._path = path
        self._period = period
        self._clock = clock
        self._cores = psutil.cpu_count() or 1
        self._memory = psutil.virtual_memory().total
        self._nvidia_smi = shutil.which("nvidia-smi")
        self._gpu_due = 0.0
        self._samples: dict[str, list[float]] = {}
        self._written = False
        self._begin = clock()
        self._processor = self._processor_seconds(own_descendants())

    @property
    def interval(self) -> float:
        """Seconds between two samples."""
        return min(1.0, self._period / 5)

    def sample(self) -> None:
        """Measure once; write the averages if a period is over."""
        tree = own_descendants()
        self._keep("memUsage", min(100.0, 100 * _sum(tree, lambda process: process.memory_info().rss) / self._memory))
        if self._nvidia_smi and self._clock() >= self._gpu_due:
            self._gpu_due = self._clock() + min(_GPU_INTERVAL, self._period / 2)
            self._sample_gpus(self._nvidia_smi)
        if self._clock() - self._begin >= self._period:
            self._write(tree)

    def finish(self) -> None:
        """A task shorter than one period still gets its value."""
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

    def _sample_gpus(self, nvidia_smi: str) -> None:
        try:
            command = [nvidia_smi, *_GPU_QUERY]
            done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)  # noqa: S603
        except (OSError, subprocess.TimeoutExpired):
            return
        rows = [row for row in map(_numbers, done.stdout.splitlines()) if row is not None]
        if rows:
            self._keep("gpuUtil", sum(row[0] for row in rows) / len(rows))
            self._keep("gpuMemUsage", 100 * sum(row[1] for row in rows) / max(sum(row[2] for row in rows), 1.0))

    def _keep(self, name: str, value: float) -> None:
        self._samples.setdefault(name, []).append(value)


def read(path: Path) -> dict[str, list[float]] | None:
    """All averages so far by name, oldest first; None before the first; without the line that is being written."""
    rows = [row for line in read_bytes(path, _MAX_BYTES).split(b"\n")[:-1] if (row := _row(line)) is not None]
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


def _numbers(row: str) -> list[float] | None:
    try:
        return [float(cell) for cell in row.split(",")]
    except ValueError:
        return None

"""Averages of what a task uses."""

import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from modelarts_emulator.executors import meter


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_there_is_no_value_before_the_first_period_is_over(tmp_path: Path) -> None:
    clock = Clock()
    measured = meter.Meter(tmp_path / "m", 60, clock)
    measured.sample()
    assert meter.read(tmp_path / "m") is None

    clock.now = 60.0
    measured.sample()
    values = meter.read(tmp_path / "m") or {}
    assert [len(values[name]) for name in meter.NAMES] == [1] * 6


def test_a_short_task_gets_its_value_at_its_end_and_a_long_one_no_partial_one(tmp_path: Path) -> None:
    clock = Clock()
    measured = meter.Meter(tmp_path / "m", 60, clock)
    measured.sample()
    clock.now = 5.0
    measured.finish()
    measured.sample()
    measured.finish()

    assert len((meter.read(tmp_path / "m") or {})["cpuUsage"]) == 1


def test_a_task_that_ended_before_the_first_sample_gets_its_value_too(tmp_path: Path) -> None:
    """Who waits for metrics would wait for ever otherwise."""
    clock = Clock()
    measured = meter.Meter(tmp_path / "m", 60, clock)
    clock.now = 0.1
    measured.finish()

    values = meter.read(tmp_path / "m") or {}
    assert values["cpuUsage"][0] >= 0
    assert values["memUsage"] == [meter.NOTHING]


def test_processor_time_of_children_that_have_ended_counts(tmp_path: Path) -> None:
    begin = time.monotonic()
    measured = meter.Meter(tmp_path / "m", 0.001)
    subprocess.run(
        [sys.executable, "-c", "import time\nend=time.process_time()+0.3\nwhile time.process_time()<end: pass"]
    )
    measured.sample()
    wall = time.monotonic() - begin
    usage = (meter.read(tmp_path / "m") or {})["cpuUsage"][0]

    assert usage == pytest.approx(100 * 0.3 / wall / (psutil.cpu_count() or 1), rel=0.35)


def test_gpus_are_measured_where_there_are_some(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tool is stood in for by one that prints what the real one prints for two GPUs."""
    tool = tmp_path / "nvidia-smi"
    tool.write_text("#!/bin/sh\necho '50, 1000, 8000'\necho '100, 3000, 8000'\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    measured = meter.Meter(tmp_path / "m", 0.001)
    measured.sample()
    values = meter.read(tmp_path / "m") or {}

    assert (values["gpuUtil"], values["gpuMemUsage"], values["npuUtil"]) == ([75.0], [25.0], [-1.0])


def test_a_line_that_is_being_written_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "m").write_text('{"cpuUsage": 1')

    assert meter.read(tmp_path / "m") is None

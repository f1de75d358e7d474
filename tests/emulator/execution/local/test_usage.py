"""Averages of what a task uses."""

import json
import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from modelarts_emulator.execution.local import usage as sampler


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


MEASURE = """
import json, os, pathlib, subprocess, sys
from modelarts_emulator.execution.local import usage

now = 0.0
file = pathlib.Path(sys.argv[1])
before = os.times()
measured = usage.UsageSampler(file, 10, lambda: now)
busy = "import time; end = time.process_time() + 0.1\\nwhile time.process_time() < end: pass"
subprocess.run([sys.executable, "-c", busy], check=True)
now = 10.0
measured.sample()
after = os.times()
used_s = after.children_user + after.children_system - before.children_user - before.children_system
print(json.dumps([used_s, usage.read(file)["cpuUsage"][0]]))
"""


def test_processor_time_of_children_that_have_ended_counts(tmp_path: Path) -> None:
    """In percent of all processors, over the period; measured in a process that has no other children."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(tmp_path / "m")], capture_output=True, text=True, check=True
    )
    used_s, usage = json.loads(done.stdout)

    assert used_s >= 0.05  # the process used 0.1 s by a finer clock
    assert usage == pytest.approx(100 * used_s / 10 / (psutil.cpu_count() or 1), abs=0.001)


def test_gpus_are_measured_where_there_are_some(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tool is stood in for by one that prints what the real one prints for two GPUs."""
    tool = tmp_path / "nvidia-smi"
    tool.write_text("#!/bin/sh\necho '50, 1000, 8000'\necho '100, 3000, 8000'\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    measured = sampler.UsageSampler(tmp_path / "m", 0.001)
    measured.sample()
    values = sampler.read(tmp_path / "m") or {}

    assert (values["gpuUtil"], values["gpuMemUsage"], values["npuUtil"]) == ([75.0], [25.0], [-1.0])

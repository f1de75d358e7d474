"""Runs the scripts of built-in algorithms, in a Python that has its standard library only."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from modelarts_emulator.v1 import builtin

Train = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def train(tmp_path: Path) -> Train:
    """Trains on `tmp_path / "data"` into `tmp_path / "out"` with the catalogue's hyperparameters and those given."""

    def run(model_id: int, **given: object) -> subprocess.CompletedProcess[str]:
        algorithm = builtin.every()[model_id]
        values = {entry.label: entry.value for entry in algorithm.parameters} | given
        folders = {"data_url": tmp_path / "data", "train_url": tmp_path / "out"}
        arguments = [f"--{name}={value}" for name, value in (values | folders).items()]
        command = [sys.executable, "-I", "-S", str(algorithm.script), *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    (tmp_path / "data").mkdir()
    return run

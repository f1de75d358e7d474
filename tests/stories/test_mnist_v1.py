"""The TensorFlow use case of the first API version, end to end: `make demo ENGINE=tensorflow`."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "examples" / "demo_tensorflow.py"


def check(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    steps = re.findall(r"^ (\d) (\w+)", done.stdout, re.MULTILINE)
    assert [name for _, name in steps] == [
        "token", "specs", "engines", "job", "details", "board", "stop", "results", "delete"
    ]  # fmt: skip
    assert done.stdout.count("│ epoch ") == 20
    assert "its curve of the loss has 20 points" in done.stdout
    assert "of the held-out digits named right" in done.stdout


def test_a_script_copies_its_data_trains_and_is_watched_with_tensorboard() -> None:
    """The story with numpy: MNIST's format, OBS paths as arguments, log by cursors, a visualization job."""
    command = [sys.executable, str(DEMO), "--numpy"]

    check(subprocess.run(command, capture_output=True, text=True, timeout=300, check=False))


def test_tensorflow_trains_the_model_of_the_use_case() -> None:
    """The story as printed, with TensorFlow in an environment of its own."""
    if not (ROOT / ".cache/engines/tensorflow.installed").exists():
        pytest.skip("TensorFlow is not installed for it: make engine-tensorflow")

    done = subprocess.run([sys.executable, str(DEMO)], capture_output=True, text=True, timeout=300, check=False)

    check(done)
    assert "│ TensorFlow 2." in done.stdout

"""The built-in algorithm for tables of numbers."""

from __future__ import annotations

import gzip
import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from modelarts_emulator.v1 import builtin

SOFTMAX = 1
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


def table(count: int) -> str:
    """Points with the class of the quarter of the plane that they lie in."""
    chance = random.Random(3)
    points = [(chance.uniform(-1, 1), chance.uniform(-1, 1)) for _ in range(count)]
    return "".join(f"{x},{y},{2 * (x > 0) + (y > 0)}\n" for x, y in points)


def test_it_learns_from_all_tables_and_writes_model_and_metrics(train: Train, tmp_path: Path) -> None:
    (tmp_path / "data" / "a.csv").write_text(table(150))
    (tmp_path / "data" / "b.csv.gz").write_bytes(gzip.compress(table(150).encode()))

    done = train(SOFTMAX, num_epoch=8)

    assert done.returncode == 0, done.stderr
    assert done.stdout.count("epoch ") == 8
    metrics = json.loads((tmp_path / "out" / "metrics.json").read_text())
    model = json.loads((tmp_path / "out" / "model.json").read_text())
    assert metrics["accuracy"] > 0.9
    assert [len(row) for row in model["weights"]] == [3, 3, 3, 3]


def test_the_same_seed_gives_the_same_model(train: Train, tmp_path: Path) -> None:
    (tmp_path / "data" / "a.csv").write_text(table(60))

    logs = [train(SOFTMAX, num_epoch=2, seed=seed).stdout for seed in (5, 5, 6)]

    assert logs[0] == logs[1] != logs[2]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "no rows to train on in"),
        ("1,2,0\n1,x,0\n", r"a.csv, line 2: write numbers, then the class"),
        ("1,2,-1\n", "a.csv, line 1: write numbers, then the class, 0 or more"),
        ("3\n", "a.csv, line 1: write numbers"),
    ],
)
def test_data_that_cannot_be_learned_from_is_reported(train: Train, tmp_path: Path, content: str, message: str) -> None:
    """The message names the file and the line, and there is no traceback."""
    (tmp_path / "data" / "a.csv").write_text(content)

    done = train(SOFTMAX)

    assert done.returncode == 1
    assert message in done.stderr
    assert "Traceback" not in done.stderr

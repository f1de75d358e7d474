"""The TensorFlow use case of the first API version, end to end: `make demo ENGINE=tensorflow`."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from modelarts_toolkit import ModelArts

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

    check(subprocess.run(command, capture_output=True, text=True, timeout=110, check=False))


def test_tensorflow_trains_the_model_of_the_use_case() -> None:
    """The story as printed, with TensorFlow in an environment of its own."""
    if not (ROOT / ".cache/engines/tensorflow.installed").exists():
        pytest.skip("TensorFlow is not installed for it: make engine-tensorflow")

    done = subprocess.run([sys.executable, str(DEMO)], capture_output=True, text=True, timeout=110, check=False)

    check(done)
    assert "│ TensorFlow 2." in done.stdout


def test_a_built_in_algorithm_trains_on_the_data_of_the_job(ma: ModelArts, tmp_path: Path) -> None:
    """It gets no script: the platform fetches the data set and uploads the model."""
    ma.obs.create_bucket("test-modelarts")
    rows = [f"{x},{y},{int(x > y)}\n" for x in range(20) for y in range(20)]
    (tmp_path / "rows.csv").write_text("".join(rows))
    ma.obs.upload(tmp_path / "rows.csv", "obs://test-modelarts/data/")
    config: Any = {
        "worker_server_num": 1,
        "model_id": 1,
        "parameter": [{"label": "num_epoch", "value": "2"}],
        "data_url": "/test-modelarts/data/",
        "train_url": "/test-modelarts/model/",
        "spec_id": 7,
    }

    job = ma.v1.training_jobs.create_training_job({"job_name": "rows", "config": config})
    place = (int(job.job_id), int(job.version_id or 0))
    while (status := ma.v1.training_job_versions.show_training_job_version(*place).status) in (1, 4, 7, 8):
        time.sleep(0.1)

    assert status == 10
    ma.obs.download("obs://test-modelarts/model/", tmp_path / "model")
    assert json.loads((tmp_path / "model" / "metrics.json").read_text())["accuracy"] > 0.85

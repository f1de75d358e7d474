"""`make demo` does what it says, with both API versions, and its exit status is right."""

from __future__ import annotations

import gzip
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def demo(root: Path, *options: str, program: str = "demo.py") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(root / "examples" / program), *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def check(done: subprocess.CompletedProcess[str], expected: str, epochs: int) -> None:
    """The demo walked these nine steps and scored the model."""
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    steps = re.findall(r"^ (\d) (\w+)", done.stdout, re.MULTILINE)
    assert " ".join(name for _, name in steps) == expected
    assert done.stdout.count("│ epoch ") == epochs
    assert "of the held-out digits named right" in done.stdout


def test_the_demo_walks_the_nine_steps_and_scores_the_model(tmp_path: Path) -> None:
    done = demo(ROOT, "--keep", str(tmp_path / "kept"))

    check(done, "token flavors engines algorithm job details log metrics delete", epochs=40)
    assert (tmp_path / "kept" / "outputs" / "model.npz").exists()


def test_the_demo_fails_if_the_model_is_not_good_enough(tmp_path: Path) -> None:
    """With few epochs and labels that are wrong, the demo says so, and nothing stays behind."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    job = tmp_path / "examples" / "digits" / "job.json"
    job.write_text(job.read_text().replace('"40"', '"2"'))
    held_out = tmp_path / "examples" / "digits" / "held-out.csv.gz"
    rows = [line.rsplit(",", 1) for line in gzip.decompress(held_out.read_bytes()).decode().splitlines()]
    garbled = "".join(f"{pixels},{(int(digit) + 1) % 10}\n" for pixels, digit in rows)
    held_out.write_bytes(gzip.compress(garbled.encode()))

    done = demo(tmp_path)

    assert done.returncode == 1
    assert "The demo failed: the model is not good enough" in done.stdout
    assert "stopped, exit status 0" in done.stdout
    folder = re.search(r"modelarts-demo-\w+", done.stdout)
    assert folder is None or not Path(os.environ.get("TMPDIR", "/tmp"), folder[0]).exists()


@pytest.mark.parametrize("engine", ["numpy", "tensorflow"])
def test_the_use_case_of_the_first_version_is_watched_with_tensorboard(engine: str) -> None:
    """MNIST's format, OBS paths as arguments, log by cursors, a visualization job; with TensorFlow as printed."""
    if engine == "tensorflow" and not (ROOT / ".cache/engines/tensorflow.installed").exists():
        pytest.skip("TensorFlow is not installed for it: make engine-tensorflow")

    done = demo(ROOT, *(["--numpy"] if engine == "numpy" else []), program="demo_tensorflow.py")

    check(done, "token specs engines job details board stop results delete", epochs=20)
    assert "its curve of the loss has 20 points" in done.stdout
    assert ("│ TensorFlow 2." in done.stdout) == (engine == "tensorflow")

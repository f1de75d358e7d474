"""`make demo` does what it says, and its exit status is right."""

from __future__ import annotations

import gzip
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def demo(root: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(root / "examples" / "demo.py"), *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def test_the_demo_walks_the_nine_steps_and_scores_the_model(tmp_path: Path) -> None:
    done = demo(ROOT, "--keep", str(tmp_path / "kept"))

    assert done.returncode == 0, done.stdout + done.stderr
    steps = re.findall(r"^ (\d) (\w+)", done.stdout, re.MULTILINE)
    assert [name for _, name in steps] == [
        "token", "flavors", "engines", "algorithm", "job", "details", "log", "metrics", "delete"
    ]  # fmt: skip
    assert done.stdout.count("│ epoch ") == 40
    assert "of the held-out digits named right" in done.stdout
    assert (tmp_path / "kept" / "outputs" / "model.npz").exists()
    assert done.stderr == ""


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

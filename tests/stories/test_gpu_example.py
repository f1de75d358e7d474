"""`examples/gpu/check.sh` on a machine whose GPU is a stand-in, with a stand-in for PyTorch."""

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from tests.accelerators import Machine, gpus

EXAMPLE = Path(__file__).parents[2] / "examples" / "gpu"
# Computes nothing: each loss is 1. An operation takes a while, so that jobs can meet.
TORCH = """\
import json, sys, time
from unittest.mock import MagicMock

class Torch(MagicMock):
    __version__ = "2.0-stand-in"

torch = sys.modules[__name__] = Torch()
torch.zeros.return_value.__iadd__ = lambda total, _: total
torch.zeros.return_value.__float__ = lambda _: 100.0
torch.manual_seed.side_effect = lambda _: time.sleep(0.3)
torch.save.side_effect = lambda state, path: path.write_text(json.dumps({"epoch": state["epoch"]}))
torch.load.side_effect = lambda path: json.loads(path.read_text()) | {"model": {}, "optimizer": {}}
"""


def check(python: Path, path: str) -> "subprocess.CompletedProcess[str]":
    path = f"{Path(sys.executable).parent}{os.pathsep}{path}"
    environment = {"PATH": path, "HOME": os.environ.get("HOME", "/"), "PYTHON": str(python), "EPOCHS": "12"}
    return subprocess.run(
        ["bash", EXAMPLE / "check.sh"], env=environment, capture_output=True, text=True, timeout=300, check=False
    )


def test_without_a_gpu_or_pytorch_it_says_what_is_missing(tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", symlinks=True)
    python = tmp_path / "venv" / "bin" / "python"

    without_gpu = check(python, os.environ["PATH"])
    without_torch = check(python, Machine(tmp_path, gpus(1)).path)

    assert (without_gpu.returncode, without_torch.returncode) == (2, 2)
    assert without_gpu.stderr == "check.sh: no GPU of NVIDIA: nvidia-smi is not on PATH\n"
    assert f"check.sh: {python} has no PyTorch: name another Python by PYTHON=..." in without_torch.stderr


@pytest.mark.ci
def test_it_finds_that_all_holds(tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", symlinks=True)
    packages = next((tmp_path / "venv" / "lib").glob("python*")) / "site-packages"
    (packages / "torch").mkdir()
    (packages / "torch" / "__init__.py").write_text(TORCH)
    machine = Machine(tmp_path, gpus(2, utilization=60))

    done = check(tmp_path / "venv" / "bin" / "python", machine.path)

    assert (done.returncode, done.stdout.count("ok   ")) == (0, 8), done.stdout + done.stderr
    assert done.stdout.endswith("All of these held.\n")

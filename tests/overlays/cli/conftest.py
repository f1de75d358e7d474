"""The command in this process, against one simulated emulator, and `modelarts run` in a process that gets signals."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import psutil
import pytest
from click.testing import CliRunner, Result

from modelarts_emulator.server import Emulator
from modelarts_toolkit import Job, ModelArts
from modelarts_toolkit.cli.commands import modelarts

Run: TypeAlias = Callable[..., Result]
Submit: TypeAlias = Callable[..., Job]
Start: TypeAlias = Callable[..., "subprocess.Popen[str]"]

ENGINE = "pytorch_1.8.0-cuda_10.2-py_3.7-ubuntu_18.04-x86_64"
FLAVOR = "modelarts.vm.cpu.8u"
JOB = f"""\
name: digits
code: code
boot: train.py
engine: {ENGINE}
flavor: {FLAVOR}
inputs:
  data_url: data
outputs:
  train_url: out
parameters:
  lr: 0.10
"""


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """`run("job", "list")`: the result of `modelarts job list`."""

    def run(*arguments: object, stdin: str | None = None, **variables: str) -> Result:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        result = CliRunner().invoke(modelarts, [str(each) for each in arguments], input=stdin, prog_name="modelarts")
        unexpected = result.exception is not None and not isinstance(result.exception, SystemExit)
        if unexpected:
            raise result.exception  # type: ignore[misc]
        return result

    return run


@pytest.fixture
def service(emulator: Emulator, emulator_environment: dict[str, str]) -> Emulator:
    """An emulator with code in its object storage and a clock that stands still."""
    emulator.objects.put("obs://work/code/train.py", "print('hello')")
    emulator.clock.freeze()
    return emulator


@pytest.fixture
def ma(service: Emulator) -> Iterator[ModelArts]:
    with ModelArts() as client:
        yield client


@pytest.fixture
def submit(ma: ModelArts) -> Submit:
    """`submit("digits")` creates a job."""

    def submit(name: str = "digits", *, nodes: int = 1, **algorithm: Any) -> Job:
        return ma.jobs.submit(job_request(name, nodes, **algorithm))

    return submit


def job_request(name: str, nodes: int = 1, **algorithm: Any) -> Any:
    """The request of a job whose code is `obs://work/code/train.py`."""
    code = {"code_dir": "obs://work/code/", "boot_file": "obs://work/code/train.py", "engine": {"engine_id": ENGINE}}
    return {
        "kind": "job",
        "metadata": {"name": name},
        "algorithm": {**code, **algorithm},
        "spec": {"resource": {"flavor_id": FLAVOR, "node_count": nodes}},
    }


@pytest.fixture
def quick(emulator: Emulator, emulator_environment: dict[str, str]) -> Emulator:
    """An emulator in which jobs end at once."""
    emulator.plans.add(job="*", duration=0, log=["lr {lr}", "trained"])
    return emulator


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: code in `code`, data in `data`, and `job.yaml`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "train.py").write_text("print('hello')\n")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "train.csv").write_text("1,2\n")
    (tmp_path / "job.yaml").write_text(JOB)
    return tmp_path


MODELARTS = str(Path(sys.executable).with_name("modelarts"))
TRAINING = """\
import argparse, pathlib, time
parser = argparse.ArgumentParser()
parser.add_argument("--train_url")
parser.add_argument("--data_url")
folder = pathlib.Path(parser.parse_args().train_url)
for epoch in range(10_000):
    (folder / f"ckpt{epoch}").write_text("weights")
    print("epoch", epoch, flush=True)
    time.sleep(0.05)
"""
STUBBORN = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
GONE_LIMIT_S = 300.0


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """`start("--new")` runs `train.py` of the temporary folder in a process group of its own, as a shell does.

    TMPDIR is `tmp`, `out` takes outputs.
    """
    (tmp_path / "train.py").write_text(TRAINING)
    (tmp_path / "tmp").mkdir()
    started = []

    def start(*options: str, **variables: str) -> subprocess.Popen[str]:
        foreign = ("MODELARTS_", "OS_", "AWS_", "HUAWEICLOUD_SDK_")
        environment = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
        environment |= {"TMPDIR": str(tmp_path / "tmp"), "XDG_DATA_HOME": str(tmp_path / "home"), **variables}
        process = subprocess.Popen(
            [MODELARTS, "run", "train.py", "--out", "out", *options],
            cwd=tmp_path,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            process_group=0,
            # a test may run where they are ignored, as in the background of a shell
            preexec_fn=lambda: [signal.signal(number, signal.SIG_DFL) for number in (signal.SIGINT, signal.SIGHUP)],
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()
    for left in processes(tmp_path):
        with contextlib.suppress(psutil.NoSuchProcess):
            left.kill()


def processes(folder: Path) -> dict[psutil.Process, dict[str, str]]:
    """Those that the command has started, and their descendants, with their environments."""
    found = {}
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            environment = process.environ()
            if environment.get("TMPDIR") == str(folder / "tmp") and process.status() != psutil.STATUS_ZOMBIE:
                found[process] = environment
    return found


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.glob("*")}


def signal_all(process: subprocess.Popen[str], number: signal.Signals) -> None:
    """Send the signal as a terminal does, to every process of the group; no terminal sends SIGKILL."""
    if number == signal.SIGKILL:
        process.kill()
    else:
        os.killpg(process.pid, number)


def press_ctrl_c_twice(process: subprocess.Popen[str]) -> None:
    """The second time when the first one has been heard, and until it counts: some programs send it twice."""
    signal_all(process, signal.SIGINT)
    assert process.stderr is not None
    assert any("Press Ctrl-C again" in line for line in process.stderr)
    while process.poll() is None:
        signal_all(process, signal.SIGINT)
        time.sleep(0.1)


def wait_for_epoch(process: subprocess.Popen[str], epoch: int) -> None:
    assert process.stdout is not None
    assert any(line == f"epoch {epoch}\n" for line in process.stdout)


def assert_nothing_is_left(folder: Path) -> None:
    deadline = time.monotonic() + GONE_LIMIT_S
    while (left := [*map(str, processes(folder)), *names_in(folder / "tmp")]) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert left == []

"""`modelarts run` is interrupted or killed: what was written is brought home, and nothing is left behind."""

from __future__ import annotations

import contextlib
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts
from modelarts_toolkit.cli.run_emulator import config_of

MODELARTS = str(Path(sys.executable).with_name("modelarts"))
SCRIPT = """\
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
STATUS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGKILL: -9}
Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """`start("--new")` runs `train.py` of the temporary folder in a process; TMPDIR is `tmp`, `out` takes outputs."""
    (tmp_path / "train.py").write_text(SCRIPT)
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


def wait_for_epoch(process: subprocess.Popen[str], epoch: int) -> None:
    assert process.stdout is not None
    assert any(line == f"epoch {epoch}\n" for line in process.stdout)


def assert_nothing_is_left(folder: Path) -> None:
    deadline = time.monotonic() + GONE_LIMIT_S
    while (left := [*map(str, processes(folder)), *names_in(folder / "tmp")]) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert left == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_a_signal_stops_the_script_and_fetches_what_it_has_written(
    start: Start, tmp_path: Path, number: signal.Signals
) -> None:
    """No process of the emulator or the script has a secret of the shell."""
    process = start(**{f"{family}SECRET": "s3cr3t" for family in ("MODELARTS_", "OS_", "AWS_", "HUAWEICLOUD_SDK_")})
    wait_for_epoch(process, 3)
    environments = [environment for each, environment in processes(tmp_path).items() if each.pid != process.pid]
    assert len(environments) > 1
    assert [environment for environment in environments if "s3cr3t" in environment.values()] == []

    process.send_signal(number)
    _, errors = process.communicate()

    assert process.returncode == STATUS[number]
    assert {f"ckpt{epoch}" for epoch in range(4)} <= names_in(tmp_path / "out")
    assert f"Interrupted: {len(names_in(tmp_path / 'out'))} output files in out.\n" in errors
    assert ("Press Ctrl-C again" in errors) == (number == signal.SIGINT)
    assert_nothing_is_left(tmp_path)


def test_a_command_that_is_killed_takes_emulator_script_and_folder_along(start: Start, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(STUBBORN + SCRIPT)
    process = start()
    wait_for_epoch(process, 1)

    process.kill()

    assert_nothing_is_left(tmp_path)


def test_a_second_ctrl_c_does_not_wait_for_the_script(start: Start, tmp_path: Path) -> None:
    """The first one counts for a second: some programs send it twice."""
    (tmp_path / "train.py").write_text(STUBBORN + SCRIPT)
    process = start()
    wait_for_epoch(process, 1)
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    assert any("Press Ctrl-C again" in line for line in process.stderr)

    while process.poll() is None:
        process.send_signal(signal.SIGINT)
        time.sleep(0.1)

    assert process.returncode == 130
    assert names_in(tmp_path / "out") == set()
    assert_nothing_is_left(tmp_path)


def test_a_script_that_takes_too_long_is_stopped_and_its_outputs_are_fetched(start: Start, tmp_path: Path) -> None:
    """It says that the time was over, and nothing about Ctrl-C."""
    process = start("--timeout", "2")

    _, errors = process.communicate()

    assert process.returncode == 124
    assert "The time of 2 s is over: stopping the script.\nTime is over: " in errors
    assert "Ctrl-C" not in errors
    assert "ckpt0" in names_in(tmp_path / "out")


def test_when_nobody_reads_its_output_the_script_is_stopped_and_its_outputs_are_fetched(
    start: Start, tmp_path: Path
) -> None:
    process = start()
    wait_for_epoch(process, 1)

    assert process.stdout is not None
    process.stdout.close()

    assert process.wait() == 141
    assert "ckpt1" in names_in(tmp_path / "out")


def test_an_emulator_that_goes_on_keeps_nothing_of_a_command_that_is_interrupted_or_killed(
    start: Start, tmp_path: Path
) -> None:
    """The script of the first one stops and its outputs are fetched; the second one ends without cleaning up."""
    with Emulator(tmp_path / "data") as emulator, ModelArts(config=config_of(emulator.environment())) as ma:
        process = start(MODELARTS_EMULATOR_DATA_DIR=str(tmp_path / "data"))
        wait_for_epoch(process, 1)
        process.terminate()
        _, errors = process.communicate()

        assert process.returncode == 143
        assert f"Using the emulator at {emulator.endpoint}." in errors
        assert "ckpt1" in names_in(tmp_path / "out")
        assert [*ma.jobs.list(), *ma.obs.list_buckets()] == []

        (tmp_path / "train.py").write_text(STUBBORN + SCRIPT)
        process = start(MODELARTS_EMULATOR_DATA_DIR=str(tmp_path / "data"))
        wait_for_epoch(process, 1)
        assert len(ma.jobs.list()) == 1
        process.kill()

        assert_nothing_is_left(tmp_path)
        assert [*ma.jobs.list(), *ma.obs.list_buckets()] == []


def interrupt(start: Start, folder: Path, number: signal.Signals, delay_s: float) -> None:
    """Send the signal after a while; whatever had been printed by then must be in the output folder."""
    process = start()
    time.sleep(delay_s)
    process.send_signal(number)
    output, errors = process.communicate()

    if "Starting an emulator" in errors:  # else Python itself may still have been starting
        assert process.returncode in (STATUS[number], -number), errors
    assert_nothing_is_left(folder)
    if number in (signal.SIGINT, signal.SIGTERM):
        epochs = re.findall(r"^epoch (\d+)$", output, re.MULTILINE)
        assert {f"ckpt{epoch}" for epoch in epochs} <= names_in(folder / "out")


@pytest.mark.parametrize(("number", "delay_s"), [(signal.SIGTERM, 0.4), (signal.SIGKILL, 1.0)])
def test_a_signal_at_an_early_moment_leaves_nothing_behind(
    start: Start, tmp_path: Path, number: signal.Signals, delay_s: float
) -> None:
    interrupt(start, tmp_path, number, delay_s)


def test_a_named_pipe_beside_the_script_stops_neither_the_run_nor_a_signal(start: Start, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.csv").touch()
    os.mkfifo(tmp_path / "pipe")
    os.mkfifo(tmp_path / "data" / "pipe")
    process = start("--data", "data")
    wait_for_epoch(process, 1)

    process.terminate()
    _, errors = process.communicate(timeout=300)

    assert process.returncode == 143
    assert "Left out of the code: pipe" in errors
    assert "Left out of the data: pipe" in errors


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("number", STATUS)
def test_a_signal_at_any_moment_leaves_nothing_behind(start: Start, tmp_path: Path, number: signal.Signals) -> None:
    moments = random.Random(number)
    for _ in range(50):
        interrupt(start, tmp_path, number, moments.uniform(0, 4))
        for file in (tmp_path / "out").glob("*"):
            file.unlink()

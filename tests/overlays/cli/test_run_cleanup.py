"""`modelarts run` ends early in an emulator that goes on: nothing of it is left there, nothing of others is lost."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.overlays.cli.conftest import (
    STUBBORN,
    TRAINING,
    Start,
    assert_nothing_is_left,
    job_request,
    names_in,
    press_ctrl_c_twice,
    signal_all,
    wait_for_epoch,
)

from modelarts_emulator.server import Emulator
from modelarts_toolkit import JobStopped, ModelArts
from modelarts_toolkit.local.emulator import config_of

OTHERS = ["somebody-s-train", "work"]  # a job whose name contains that of the run, and the bucket of its code


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    with Emulator(tmp_path_factory.mktemp("emulator")) as emulator:
        yield emulator


@pytest.fixture
def ma(shared: Emulator) -> Iterator[ModelArts]:
    with ModelArts(config=config_of(shared.environment())) as ma:
        if not ma.jobs.list():
            shared.objects.put("obs://work/code/train.py", "print('hello')")
            ma.jobs.submit(job_request(OTHERS[0])).wait(timeout=300)
        yield ma


@pytest.fixture
def begin(start: Start, shared: Emulator) -> Start:
    """`begin("--data", "data")` runs `train.py` in that emulator."""

    def begin(*options: str) -> subprocess.Popen[str]:
        return start(*options, MODELARTS_EMULATOR_DATA_DIR=shared.environment()["MODELARTS_EMULATOR_DATA_DIR"])

    return begin


def things(ma: ModelArts) -> list[str]:
    """The names of all jobs and buckets."""
    return [*(job.name for job in ma.jobs.list()), *(bucket.name for bucket in ma.obs.list_buckets())]


def test_a_command_that_is_interrupted_fetches_the_outputs_and_cleans_up(
    begin: Start, shared: Emulator, ma: ModelArts, tmp_path: Path
) -> None:
    """Named pipes beside the script and in its data stop neither the run nor the signal."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.csv").touch()
    os.mkfifo(tmp_path / "pipe")
    os.mkfifo(tmp_path / "data" / "pipe")
    process = begin("--data", "data")
    wait_for_epoch(process, 1)
    assert len(things(ma)) == len(OTHERS) + 2

    signal_all(process, signal.SIGTERM)
    _, errors = process.communicate()

    assert process.returncode == 143
    assert f"Using the emulator at {shared.endpoint}." in errors
    assert "Left out of the code: pipe" in errors
    assert "Left out of the data: pipe" in errors
    assert "ckpt1" in names_in(tmp_path / "out")
    assert things(ma) == OTHERS


@pytest.mark.parametrize("end", [subprocess.Popen.kill, press_ctrl_c_twice])
def test_a_command_that_ends_without_cleaning_up_is_cleaned_up_after(
    begin: Start, ma: ModelArts, tmp_path: Path, end: Callable[[subprocess.Popen[str]], None]
) -> None:
    """It is killed, or the terminal sends Ctrl-C to all its processes, and again as the script does not end."""
    (tmp_path / "train.py").write_text(STUBBORN + TRAINING)
    process = begin()
    wait_for_epoch(process, 1)
    assert len(things(ma)) == len(OTHERS) + 2

    end(process)

    assert_nothing_is_left(tmp_path)
    assert things(ma) == OTHERS


def test_a_job_that_is_kept_is_stopped_when_the_command_is_killed(
    begin: Start, shared: Emulator, ma: ModelArts, tmp_path: Path
) -> None:
    process = begin("--keep", "--name", "kept")
    wait_for_epoch(process, 1)

    process.kill()

    with pytest.raises(JobStopped):
        ma.jobs.get("kept").wait(timeout=300)
    assert_nothing_is_left(tmp_path)
    assert "kept" in things(ma)
    shared.reset()


def test_a_script_that_takes_too_long_is_stopped_and_its_outputs_are_fetched(
    begin: Start, ma: ModelArts, tmp_path: Path
) -> None:
    """It says that the time was over, and nothing about Ctrl-C."""
    process = begin("--timeout", "4")

    _, errors = process.communicate()

    assert process.returncode == 124
    assert "The time of 4 s is over: stopping the script.\nTime is over: " in errors
    assert "Ctrl-C" not in errors
    assert "ckpt0" in names_in(tmp_path / "out")
    assert things(ma) == OTHERS


def test_when_nobody_reads_its_output_the_script_is_stopped_and_its_outputs_are_fetched(
    begin: Start, ma: ModelArts, tmp_path: Path
) -> None:
    process = begin()
    wait_for_epoch(process, 1)

    assert process.stdout is not None
    process.stdout.close()

    assert process.wait() == 141
    assert "ckpt1" in names_in(tmp_path / "out")
    assert things(ma) == OTHERS

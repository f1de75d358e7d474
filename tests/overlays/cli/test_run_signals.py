"""`modelarts run` is interrupted or killed: what was written is brought home, and nothing is left behind."""

from __future__ import annotations

import os
import random
import re
import signal
import time
from pathlib import Path

import pytest
from tests.emulator.conftest import eventually
from tests.overlays.cli.conftest import (
    STUBBORN,
    TRAINING,
    Start,
    assert_nothing_is_left,
    names_in,
    press_ctrl_c_twice,
    processes,
    signal_all,
    wait_for_epoch,
)

STATUS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGKILL: -9}


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

    signal_all(process, number)
    _, errors = process.communicate()

    assert process.returncode == STATUS[number]
    assert {f"ckpt{epoch}" for epoch in range(4)} <= names_in(tmp_path / "out")
    assert f"Interrupted: {len(names_in(tmp_path / 'out'))} output files in out.\n" in errors
    assert ("Press Ctrl-C again" in errors) == (number == signal.SIGINT)
    assert_nothing_is_left(tmp_path)


def test_a_command_that_is_killed_takes_emulator_script_and_folder_along(start: Start, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(STUBBORN + TRAINING)
    process = start()
    wait_for_epoch(process, 1)

    process.kill()

    assert_nothing_is_left(tmp_path)


def test_a_second_ctrl_c_does_not_wait_for_the_script(start: Start, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(STUBBORN + TRAINING)
    process = start()
    wait_for_epoch(process, 1)

    press_ctrl_c_twice(process)

    assert process.returncode == 130
    assert names_in(tmp_path / "out") == set()
    assert_nothing_is_left(tmp_path)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_signal_while_the_emulator_starts_leaves_nothing_behind(
    start: Start, tmp_path: Path, number: signal.Signals
) -> None:
    process = start()
    assert process.stderr is not None
    assert any(line == "Starting an emulator for this run.\n" for line in process.stderr)
    time.sleep(1)  # nothing can clean up after a SIGKILL before there is an emulator

    process.send_signal(number)

    assert process.wait() == STATUS[number]
    assert_nothing_is_left(tmp_path)


def test_an_emulator_that_is_killed_while_it_starts_leaves_nothing_behind(start: Start, tmp_path: Path) -> None:
    """Its process number is in its folder's name."""
    process = start()
    folder = eventually(lambda: next((tmp_path / "tmp").glob("modelarts-emulator-*"), None))
    os.kill(int(folder.name.split("-")[2]), signal.SIGKILL)

    assert "the emulator did not start (exit status -9)" in process.communicate()[1]
    assert_nothing_is_left(tmp_path)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("number", STATUS)
def test_a_signal_at_any_moment_leaves_nothing_behind(start: Start, tmp_path: Path, number: signal.Signals) -> None:
    """Whatever had been printed by then is in the output folder, if the command could end by itself."""
    moments = random.Random(number)
    for _ in range(50):
        process = start()
        time.sleep(moments.uniform(0, 4))
        signal_all(process, number)
        output, errors = process.communicate()

        if "Starting an emulator" in errors:  # else Python itself may still have been starting
            assert process.returncode in (STATUS[number], -number), errors
        assert_nothing_is_left(tmp_path)
        if number in (signal.SIGINT, signal.SIGTERM):
            epochs = re.findall(r"^epoch (\d+)$", output, re.MULTILINE)
            assert {f"ckpt{epoch}" for epoch in epochs} <= names_in(tmp_path / "out"), errors
        for file in (tmp_path / "out").glob("*"):
            file.unlink()

"""Commands about an emulator that is starting, runs already, hangs or is gone: each ends soon, with a true sentence."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tests.emulator.conftest import eventually

from modelarts_toolkit.cli.commands import modelarts

TIMEOUT = "modelarts_emulator.cli.commands.PROOF_TIMEOUT_S"
MODELARTS = [sys.executable, "-m", "modelarts_toolkit", "emulator"]
SIMULATED = ["--executor", "simulated", "--port", "0", "--obs-port", "0"]
CONTROL_CALLS = ["status", "status -o json", "clock", "clock freeze", "faults list", "plans clear", "reset --yes"]
ADDED = {"faults add": ["kind=status", "status=429"], "plans add": ["job=x", "duration=3"]}


def invoke(*words: str | Path, variable: str | None = None) -> Result:
    return CliRunner(env={"MODELARTS_EMULATOR_DATA_DIR": variable}).invoke(modelarts, ["emulator", *map(str, words)])


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A data folder; an emulator that serves it at the end is stopped."""
    yield tmp_path / "data"
    invoke("stop", "--data-dir", tmp_path / "data")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of a simulated emulator."""
    folder = tmp_path_factory.mktemp("served")
    started = invoke("start", "--data-dir", folder, *SIMULATED)
    assert started.exit_code == 0, started.output
    yield folder
    invoke("stop", "--data-dir", folder)


def announced(folder: Path) -> dict[str, Any]:
    """What the emulator that serves the folder announced; empty if it has ended."""
    with contextlib.suppress(FileNotFoundError):
        return dict(json.loads((folder / "emulator.json").read_text()))
    return {}


def at_once(folder: Path, *commands: Sequence[str]) -> list[tuple[int, str, str]]:
    """Exit status, output and errors of commands that begin at the same time."""
    each = [
        subprocess.Popen(
            [*MODELARTS, *words, "--data-dir", str(folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for words in commands
    ]
    found = [process.communicate(timeout=300) for process in each]
    return [(process.returncode, *texts) for process, texts in zip(each, found, strict=True)]


def test_of_several_starts_at_once_one_starts_and_the_others_keep_it(folder: Path) -> None:
    """The lines of all are about the emulator that serves; its log says nothing of others."""
    done = at_once(folder, *[["start", "--if-needed", *SIMULATED]] * 3)

    assert [status for status, _, _ in done] == [0, 0, 0], done
    assert len({output for _, output, _ in done}) == 1, done
    assert f"(process {announced(folder)['pid']})" in done[0][1]
    assert sum("It was kept as it is" in errors for _, _, errors in done) == 2
    assert "already served" not in (folder / "emulator.log").read_text()


def test_what_a_killed_emulator_left_is_not_taken_for_one(folder: Path) -> None:
    """Not even when several look whether one serves."""
    folder.mkdir()
    (folder / "emulator.lock").touch()
    gone = {"pid": 1, "endpoint": "http://127.0.0.1:9", "python": None}
    (folder / "emulator.json").write_text(json.dumps(gone))
    done = at_once(folder, *[["start", "--if-needed", *SIMULATED]] * 2, *[["status"]] * 2)

    assert [status for status, _, _ in done[:2]] == [0, 0], done
    assert str(gone["endpoint"]) not in str(done)


def test_without_if_needed_the_others_say_that_one_serves_already(folder: Path) -> None:
    done = at_once(folder, ["start", *SIMULATED], ["start", *SIMULATED])

    assert sorted(status for status, _, _ in done) == [0, 1], done
    assert [errors for status, _, errors in done if status] == [
        f"Error: an emulator already serves {folder}, at {announced(folder)['endpoint']}:"
        " stop it first, or keep it with --if-needed\n"
    ]


def test_a_start_keeps_an_emulator_that_another_terminal_is_starting(folder: Path) -> None:
    """That one is no start in the background: it holds the lock of the folder, and announces itself later."""
    folder.mkdir()
    start = [*MODELARTS, "start", "--if-needed", *SIMULATED, "--data-dir", str(folder)]
    log, announcement = folder / "emulator.log", folder / "emulator.json"
    with (folder / "emulator.lock").open("ab") as lock, socket.create_server(("127.0.0.1", 0)) as server:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with subprocess.Popen(start, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
            eventually(lambda: log.exists() and "already served by another process" in log.read_text())
            endpoint = f"http://127.0.0.1:{server.getsockname()[1]}"
            announcement.write_text(json.dumps({"pid": 1, "endpoint": endpoint}))
            output, _ = process.communicate(timeout=100)
        announcement.unlink()

    assert (process.returncode, output) == (0, f"The emulator serves {endpoint} (process 1).\n")


def test_a_start_that_fails_for_another_reason_says_so_beside_others(folder: Path) -> None:
    done = at_once(folder, *[["start", "--if-needed", "--port", "none"]] * 2)

    assert [status for status, _, _ in done] == [1, 1], done
    for _, _, errors in done:
        assert errors.count("Invalid value for '--port'") == 1, errors


@pytest.mark.parametrize("options", [["--executor", "process"], ["--port=9999", "-v"], ["--region", "a b"]])
def test_an_emulator_that_is_kept_is_said_to_be_kept_without_the_options(served: Path, options: list[str]) -> None:
    done = invoke("start", "--if-needed", "--data-dir", served, *options)

    assert done.exit_code == 0, done.output
    line = next(line for line in done.stderr.splitlines() if line.startswith("It was kept as it is"))
    assert all(option in line for option in options), line
    assert "kept" not in invoke("start", "--if-needed", "--data-dir", served).output


def test_a_command_does_not_wait_long_for_an_emulator_that_hangs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It names the process, the log and what ends it, which works also for a process that is stopped."""
    assert invoke("start", "--data-dir", folder, *SIMULATED).exit_code == 0
    monkeypatch.setattr(TIMEOUT, 0.3)
    pid = announced(folder)["pid"]
    os.kill(pid, signal.SIGSTOP)
    for words in [*CONTROL_CALLS, *(f"{each} {' '.join(members)}" for each, members in ADDED.items())]:
        begin = time.monotonic()
        done = invoke(*words.split(), "--data-dir", folder)

        assert time.monotonic() - begin < 5, words
        assert done.exit_code == 1, words
        assert f"hangs (process {pid}, log {folder}/emulator.log)" in done.stderr, words
        assert f'"modelarts emulator stop --data-dir {folder}"' in done.stderr, words

    assert invoke("stop", "--data-dir", folder).exit_code == 0
    assert not announced(folder)


@pytest.mark.parametrize("text", ["{}\n", "{}\r\n", "  {}\t", "\ufeff{}", "{} \n\n"])
def test_blanks_and_line_ends_around_the_variable_do_not_count(served: Path, text: str) -> None:
    found = invoke("status", variable=text.format(served))

    assert f"An emulator serves {served}:" in found.stdout, found.output


@pytest.mark.parametrize("blank", ["\n", "  ", "\r\n"])
def test_a_variable_of_blanks_names_no_folder(tmp_path: Path, blank: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))

    found = invoke("status", variable=blank)

    assert found.stdout.startswith(f"no emulator serves {tmp_path / 'modelarts-emulator'}: start it"), found.output


@pytest.mark.parametrize("kind", ["faults", "plans"])
def test_the_option_of_the_folder_is_one_of_groups_and_of_their_commands(
    tmp_path: Path, kind: str, served: Path
) -> None:
    """The innermost one is the one that is meant."""
    own, other = ["--data-dir", str(served)], ["--data-dir", str(tmp_path)]
    for command, members in {"list": [], "add": ADDED[f"{kind} add"], "clear": []}.items():
        for words in (
            [kind, *own, command],
            [kind, command, *own],
            [*own, kind, command],
            [*other, kind, *own, command],
            [*other, kind, *other, command, *own],
        ):
            done = invoke(*words, *members)

            assert done.exit_code == 0, (words, done.output)


@pytest.mark.parametrize("text", ["abc", "nan", "NaN", "inf", "-inf", "1e999", "1h", ""])
@pytest.mark.parametrize("words", ["clock advance", "clock to", "env --wait", "start --metrics-period"])
def test_what_is_no_number_of_seconds_is_said_to_be_none(served: Path, tmp_path: Path, words: str, text: str) -> None:
    """Before anything is sent; where a value has limits, they may be what an infinite one violates."""
    folder = tmp_path if words.startswith("start") else served
    done = invoke(*words.split(), text, "--data-dir", folder)

    assert done.exit_code in (1, 2), done.output
    limits = "is not in the range" if "inf" in text or "999" in text else "is not a valid number of seconds."
    assert f"{text!r} is not a valid number of seconds." in done.stderr or limits in done.stderr, done.stderr


@pytest.mark.parametrize("text", ["-5", "-0.5", "-1e3"])
@pytest.mark.parametrize("action", ["advance", "to"])
def test_the_clock_says_that_it_moves_forward_only(served: Path, action: str, text: str) -> None:
    done = invoke("clock", action, text, "--data-dir", served)

    assert done.exit_code == 1, done.output
    assert re.search(r"^Error: the clock moves forward from now \(", done.stderr), done.stderr


@pytest.mark.parametrize("member", ["duration=NaN", "duration=Infinity", "duration=1e999", "duration=[1, -Infinity]"])
def test_a_plan_with_a_number_that_is_not_finite_is_rejected(served: Path, member: str) -> None:
    done = invoke("plans", "add", "job=x", member, "--data-dir", served)

    assert done.exit_code == 1, done.output
    assert "a number must be finite" in done.stderr

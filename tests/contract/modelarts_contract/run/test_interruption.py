"""What a run says that a signal ended."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def running(*options: str | Path, **variables: str) -> Iterator[subprocess.Popen[str]]:
    """A run over the smallest document, on an emulator of its own."""
    command = [sys.executable, "-m", "modelarts_toolkit", "contract", "run", "--documents", "iam", *map(str, options)]
    environment, pipe = {**os.environ, **variables}, subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=environment) as process:
        yield process


def wait_until_it_has_begun(process: subprocess.Popen[str]) -> None:
    assert process.stderr is not None
    assert any("responses checked" in line for line in process.stderr)


def test_an_interrupted_run_reports_what_it_has_seen_and_calls_nothing_broken(tmp_path: Path) -> None:
    """Its exit status is that of an interruption."""
    with running("--report", tmp_path / "report") as process:
        wait_until_it_has_begun(process)
        process.send_signal(signal.SIGTERM)
        output, errors = process.communicate()

    assert process.returncode == 130, output + errors
    assert "it was interrupted" in errors
    assert json.loads((tmp_path / "report" / "results.json").read_text())["findings"] == []


def test_a_run_that_is_ended_by_a_second_signal_leaves_no_files(tmp_path: Path) -> None:
    """Neither its own nor those of its emulator."""
    with running(TMPDIR=str(tmp_path)) as process:
        wait_until_it_has_begun(process)
        assert list(tmp_path.iterdir())
        while process.poll() is None:
            process.send_signal(signal.SIGTERM)
        _, errors = process.communicate()

    assert process.returncode == 130
    assert "Interrupted a second time" in errors
    assert [str(each) for each in tmp_path.rglob("*")] == []


def test_a_run_that_is_ended_while_it_writes_its_reports_leaves_no_files(tmp_path: Path) -> None:
    """But those that it has written: nobody reads the pipe that stands in the place of the second report."""
    report, temporary = tmp_path / "report", tmp_path / "temporary"
    report.mkdir()
    temporary.mkdir()
    os.mkfifo(report / "report.txt")
    with running("--operation", "listVersions", "--report", report, TMPDIR=str(temporary)) as process:
        give_up = time.monotonic() + 300
        while not (report / "results.json").exists() and process.poll() is None and time.monotonic() < give_up:
            time.sleep(0.02)
        assert list(temporary.iterdir())
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate()

    assert process.returncode == 130, errors
    assert list(temporary.iterdir()) == []

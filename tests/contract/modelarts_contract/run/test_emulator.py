"""The emulator of a run: it ends with the run, and shares nothing with others."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from modelarts_contract.run import emulator

ENDLESS = """
import pathlib, sys, threading
import psutil
from modelarts_contract.run import emulator
with emulator.serving(pathlib.Path(sys.argv[1])):
    print(psutil.Process().children()[0].pid, flush=True)
    threading.Event().wait()
"""


def test_an_emulator_ends_with_the_run_that_is_killed(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ENDLESS, tmp_path], stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        started = psutil.Process(int(run.stdout.readline()))
        run.send_signal(signal.SIGKILL)

        started.wait(timeout=300)

    assert not started.is_running()


def test_the_database_of_another_emulator_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run creates hundreds of things."""
    monkeypatch.setenv("MODELARTS_EMULATOR_DATABASE_URL", "postgresql+psycopg://nobody@127.0.0.1:1/production")

    with emulator.serving(tmp_path) as running:
        assert [*Path(running.environment["MODELARTS_EMULATOR_DATA_DIR"]).rglob("emulator.db")]


def test_secrets_of_an_emulator_are_not_in_its_repr(tmp_path: Path) -> None:
    with emulator.serving(tmp_path) as running:
        assert running.environment["MODELARTS_SECRET_KEY"] not in repr(running)

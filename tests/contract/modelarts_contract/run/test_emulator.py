"""The emulator of a run: it starts as a process, says why it does not, and ends with the run."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from modelarts_contract.run import emulator
from modelarts_contract.run.emulator import EmulatorError, Identity

ENDLESS = """
import pathlib, sys, threading
from modelarts_contract.run import emulator
with emulator.serving(pathlib.Path(sys.argv[1]), emulator.Identity("owner")) as running:
    print(running.process.pid, flush=True)
    threading.Event().wait()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux notifies a process that its parent has died")
def test_an_emulator_ends_with_the_run_that_is_killed(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ENDLESS, tmp_path], stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        started = psutil.Process(int(run.stdout.readline()))
        run.send_signal(signal.SIGKILL)

        started.wait(timeout=60)

    assert not started.is_running()


def test_what_the_emulator_says_is_the_reason_why_it_does_not_start(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("this is no folder")

    with pytest.raises(EmulatorError, match=r"(?s)did not start.*data"), emulator.serving(tmp_path, Identity("owner")):
        pass


def test_the_database_of_another_emulator_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run creates hundreds of things."""
    monkeypatch.setenv("MODELARTS_EMULATOR_DATABASE_URL", "postgresql+psycopg://nobody@127.0.0.1:1/production")

    with emulator.serving(tmp_path, Identity("owner")):
        assert (tmp_path / "data" / "emulator.db").exists()


def test_secrets_of_an_identity_are_not_in_its_repr() -> None:
    identity = Identity("owner")

    assert identity.password not in repr(identity)
    assert identity.secret_key not in repr(identity)

"""Processes that keep their identity."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.emulator.execution.conftest import wait_for

from modelarts_emulator.execution.container import TASK_MARK
from modelarts_emulator.execution.local.process_tree import ProcessId, kill_all, orphans

SLEEP = [sys.executable, "-c", "import time; time.sleep(600)"]


def test_a_process_is_alive_until_it_ends_even_if_nobody_has_waited_for_it() -> None:
    process = subprocess.Popen(SLEEP)
    identity = ProcessId.of(process.pid)
    assert identity is not None
    assert identity.is_alive()

    identity.signal(signal.SIGKILL)
    wait_for(lambda: not identity.is_alive())
    assert ProcessId.of(process.pid) is None
    process.wait()


def test_a_later_process_with_the_number_is_another_one() -> None:
    former = ProcessId(os.getpid(), "another-boot:1")
    former.signal(signal.SIGKILL)

    assert not former.is_alive()
    assert ProcessId.of(os.getpid()) != former


def test_processes_of_a_task_are_found_by_mark_and_by_session_and_others_are_not(tmp_path: Path) -> None:
    marked = subprocess.Popen(SLEEP, env=os.environ | {TASK_MARK: str(tmp_path)})
    session = subprocess.Popen(SLEEP, start_new_session=True)
    other = subprocess.Popen(SLEEP, env=os.environ | {TASK_MARK: str(tmp_path / "other")})
    leaders = {str(tmp_path): ProcessId.of(session.pid)}
    try:
        assert {process.pid for process in orphans(leaders)} == {marked.pid, session.pid}
        assert kill_all(lambda: orphans(leaders))
        assert (marked.wait(), session.wait(), other.poll()) == (-9, -9, None)
    finally:
        other.kill()
        other.wait()


def test_what_cannot_be_killed_is_not_waited_for_for_ever() -> None:
    assert not kill_all(lambda: [_Immortal()], timeout_s=0.05)  # type: ignore[list-item]


class _Immortal:
    def kill(self) -> None:
        """Survives."""

"""Identifies processes although their numbers are used again, and finds and ends all processes of a task.

Linux is exact: a process is its number, its start in clock ticks, and the boot it belongs to.
Elsewhere the start time that psutil reports must do.
"""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import psutil

from modelarts_emulator.execution.container import TASK_MARK
from modelarts_emulator.execution.device_tools import RUNNING

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_HAS_CHILDREN = Path(f"/proc/self/task/{os.getpid()}/children").exists()


@dataclass(frozen=True, slots=True)
class ProcessId:
    """Identifies one process: `start_id` differs for every process that gets the same `pid`."""

    pid: int
    start_id: str

    @classmethod
    def of(cls, pid: int) -> ProcessId | None:
        """The process that has this number now, or None if no living one has (a zombie does not live)."""
        start_id = _start_id(pid)
        return None if start_id is None else cls(pid, start_id)

    def is_alive(self) -> bool:
        """Whether this very process still lives."""
        return _start_id(self.pid) == self.start_id

    def signal(self, number: signal.Signals) -> None:
        """Send the signal; nothing happens if the process is gone."""
        if self.is_alive():
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)


def _start_id(pid: int) -> str | None:
    if sys.platform == "linux":
        try:
            stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        except (FileNotFoundError, ProcessLookupError):
            return None
        # The command's name, in parentheses, may itself hold spaces and parentheses (proc_pid_stat(5)).
        state, *rest = stat.rpartition(")")[2].split()
        return None if state in "ZX" else f"{_boot_id()}:{rest[18]}"
    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else f"{process.create_time():.2f}"
    except psutil.Error:
        return None


@functools.cache
def _boot_id() -> str | None:
    return _BOOT_ID.read_text(encoding="ascii").strip() if _BOOT_ID.exists() else None


def own_descendants() -> list[psutil.Process]:
    """All living children of this process, theirs, and so on, without tools that measure it.

    A child can be re-parented during the walk and be missed, so an empty result is checked a second time.
    """
    return _living(_tree(os.getpid())) or _living(_tree(os.getpid()))


def _living(pids: list[int]) -> list[psutil.Process]:
    found = []
    for pid in pids:
        with contextlib.suppress(psutil.Error):
            if _start_id(pid) is not None:
                found.append(psutil.Process(pid))
    return found


def _tree(pid: int) -> list[int]:
    if not _HAS_CHILDREN:
        return [each.pid for each in psutil.Process(pid).children(recursive=True) if each.pid not in RUNNING]
    # psutil reads every process of the machine, which many controllers at once cannot afford.
    found = [pid]
    for parent in found:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            for thread in Path(f"/proc/{parent}/task").iterdir():
                with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                    children = map(int, (thread / "children").read_bytes().split())
                    found += [child for child in children if child not in found and child not in RUNNING]
    return found[1:]


def orphans(leaders: Mapping[str, ProcessId | None]) -> list[psutil.Process]:
    """Processes of tasks whose controllers are gone: those with a task's mark, and those in a leader's session.

    `leaders` names the tasks by their marks. The mark finds processes that left the session;
    the session finds those that overwrote their environment.
    """
    sessions = {leader.pid for leader in leaders.values() if leader is not None and _keeps_session(leader)}
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if process.pid == os.getpid() or _start_id(process.pid) is None:
                continue
            if os.getsid(process.pid) in sessions or process.environ().get(TASK_MARK) in leaders:
                found.append(process)
    return found


def _keeps_session(leader: ProcessId) -> bool:
    """Whether a session with this number is the leader's: the number stays taken as long as the session has members."""
    if _boot_id() is not None and not leader.start_id.startswith(f"{_boot_id()}:"):
        return False
    return leader.is_alive() or _start_id(leader.pid) is None


def kill_all(find: Callable[[], list[psutil.Process]], timeout_s: float = 5.0) -> bool:
    """SIGKILL what `find` returns until it returns nothing; False if some still live after `timeout_s` seconds."""
    deadline = time.monotonic() + timeout_s
    while found := find():  # more than once: a process may be born while others get the signal
        for process in found:
            with contextlib.suppress(psutil.Error):
                process.kill()
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True

"""The process that owns one task, and what a script can do to it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from tests.emulator.execution.conftest import Bench, is_gone, wait_for

from modelarts_emulator.execution.local.namespaces import die_with

FOREVER = "import time\nprint('begun', flush=True)\ntime.sleep(600)\n"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux makes a pipe larger on demand")
def test_everything_that_a_script_wrote_before_it_ended_is_in_the_log(bench: Bench) -> None:
    """A megabyte in the pipe when the script is already gone: more than the controller reads at a time.

    The script holds its controller until it has ended.
    """
    script = """
import fcntl, os, signal
F_SETPIPE_SZ = 1031
fcntl.fcntl(1, F_SETPIPE_SZ, 1 << 20)
controller, script = os.getppid(), os.getpid()
if os.fork() == 0:
    while open(f"/proc/{script}/stat").read().rpartition(")")[2].split()[0] != "Z":
        pass
    os.kill(controller, signal.SIGCONT)
    os._exit(0)
os.kill(controller, signal.SIGSTOP)
os.write(1, b"x" * ((1 << 20) - 5) + b"last\\n")
os._exit(0)
"""
    report = bench.run(script)

    assert report.exit_code == 0
    assert f"{'x' * ((1 << 20) - 5)}last\n" in bench.log()


def test_a_stopped_controller_ends_its_task_when_the_job_is_stopped(bench: Bench) -> None:
    """A script that sends SIGSTOP to its controller keeps it from working, but not the user from stopping the job."""
    recorded = bench.folder / "recorded"  # before, the controller has still to write its record
    script = f"import os, signal, time\nwhile not os.path.exists({str(recorded)!r}): time.sleep(0.01)\n"
    job_id = bench.start(script + "os.kill(os.getppid(), signal.SIGSTOP)\n" + FOREVER)
    wait_for(lambda: bench.place().process.exists())
    recorded.touch()
    wait_for(lambda: bench.controller().status() == psutil.STATUS_STOPPED)
    bench.executor.cancel(job_id)

    assert bench.end(job_id).exit_code == 143


SLOW_THREAD = """
import sys, threading
from pathlib import Path
from modelarts_emulator.execution.local.controller import Controller, run_task
from modelarts_emulator.execution.local.records import TaskPlace

class SlowController(Controller):
    def _fetch(self, errors):
        super()._fetch(errors)
        threading.Event().wait()

sys.exit(run_task(TaskPlace(Path(sys.argv[1]), sys.argv[2], 0, "worker-0"), {}, SlowController))
"""


def test_a_script_starts_as_soon_as_everything_is_fetched(bench: Bench) -> None:
    """Also if the thread that fetched it has not ended yet."""
    job = bench.spec("print('begun')")
    with bench.executor._lock:
        bench.executor._begin_attempt(job)
    subprocess.run([sys.executable, "-c", SLOW_THREAD, bench.folder / "jobs", job.job_id], timeout=30, check=True)

    assert bench.log().count("begun\n") == 1


def test_an_error_after_the_start_leaves_no_process(bench: Bench) -> None:
    """Here: the start cannot be recorded. The script, its child, and the child that left its session are ended."""
    family = bench.folder / "family"
    script = f"""
import os, time
for _ in range(2):
    os.fork()
    os.setsid() if os.getpid() != os.getsid(0) else None
    with open({str(family)!r}, "a") as pids:
        pids.write(f"{{os.getpid()}}\\n")
time.sleep(600)
"""
    job = bench.spec(script)
    place = bench.place()
    place.folder.mkdir(parents=True)
    place.process.mkdir()
    bench.executor.submit(job)
    report = bench.end(job.job_id)

    assert (report.exit_code, report.started_at is None) == (1, False)
    assert "Is a directory" in (report.message or "")
    pids = family.read_text().split() if family.exists() else []
    assert all(is_gone(int(pid)) for pid in pids)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux notifies a process of its parent's death")
def test_a_process_whose_parent_was_killed_before_it_could_ask_for_the_signal_ends_at_once() -> None:
    """The parent's number is compared after the kernel was asked."""

    def start(parent: int) -> int:
        return subprocess.run([sys.executable, "-c", ""], preexec_fn=lambda: die_with(parent)).returncode

    assert start(os.getpid()) == 0
    assert start(os.getppid()) == -signal.SIGKILL


STUBBORN = """
import pathlib, signal, sys, time
def end(*_):
    print("is to end", flush=True)
    while not pathlib.Path(sys.argv[1].split("=")[1]).exists():
        time.sleep(0.01)
    sys.exit(3)
signal.signal(signal.SIGTERM, end)
print("ready", flush=True)
time.sleep(600)
"""


def test_a_failure_does_not_change_what_ends_a_task_that_is_being_stopped(bench: Bench, tmp_path: Path) -> None:
    """It hangs no more, and is not restarted as one that hung."""
    bench.executor = bench.new_executor(grace=5.0)
    job_id = bench.start(STUBBORN, parameters=(("gate", str(tmp_path / "gate")),))
    bench.wait_for_log("ready")
    bench.executor.cancel(job_id)
    bench.wait_for_log("is to end")
    assert bench.executor.inject_fault(job_id, "worker-0", "hung")
    (tmp_path / "gate").touch()
    report = bench.end(job_id)

    assert (report.exit_code, report.failure, report.message) == (3, None, "stopped")


ORDER = """
import sys
from pathlib import Path
from pathlib import Path
from modelarts_emulator.execution.local.controller import Controller, run_task
from modelarts_emulator.execution.local.records import TaskPlace
class Told(Controller):
    def move_aside(self):
        print("ended" if self._place.exit.exists() else "not ended", flush=True)
        return super().move_aside()
sys.exit(run_task(TaskPlace(Path(sys.argv[1]), sys.argv[2], 0, "worker-0"), {}, Told))
"""


def test_directories_are_free_for_the_next_attempt_before_a_task_has_ended(bench: Bench) -> None:
    """The next attempt may begin as soon as there is an exit record."""
    job = bench.spec("print('done')")
    with bench.executor._lock:
        bench.executor._begin_attempt(job)
    command = [sys.executable, "-c", ORDER, str(bench.folder / "jobs"), job.job_id]
    done = subprocess.run(command, capture_output=True, text=True, check=True)

    assert done.stdout == "not ended\n"
    assert bench.place().exit.exists()
    assert not bench.place().container.exists()

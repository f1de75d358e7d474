"""Runs jobs as processes of this machine: one controller process per task, and records that outlive everyone.

The state of a task is read from its records and the process table, never from this process's memory, so that a new
executor on the same folder continues where the last one ended.
"""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from modelarts_emulator.execution.container import mark
from modelarts_emulator.execution.protocol import KILLED, STOPPED, JobSpec, for_each
from modelarts_emulator.execution.task import records
from modelarts_emulator.execution.task.process_tree import ProcessId, kill_all, orphans
from modelarts_emulator.execution.task.recorded_executor import (
    ControllerSettings,
    RecordedExecutor,
    controller_environment,
)
from modelarts_emulator.execution.task.records import TaskPlace

_KILL_TIMEOUT_S = 1.0
"""Seconds that a method waits for killed processes to be gone; a thread waits for the rest."""
_DEVICE_KILL_TIMEOUT_S = 10.0
"""The same, of processes with accelerators: drivers free their memory first, and then the next task may have them."""


class ForkServer:
    """Starts controllers, for one caller at a time, in forks of a process that starts with the first of them."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def start_controller(self, place: TaskPlace) -> int:
        """Start the task's controller, with the emulator's variables as they are now; returns its process number."""
        environment = controller_environment()
        words = [str(place.jobs), place.job_id, str(place.attempt), place.task]
        task = json.dumps([words, str(place.controller_log), environment]).encode() + b"\n"
        number = self._ask(task, environment) or self._ask(task, environment)  # again if it was killed
        if not number:
            raise ChildProcessError("the process that starts the controllers of tasks was killed")
        return int(number)

    def _ask(self, task: bytes, environment: Mapping[str, str]) -> bytes:
        """The process's answer; empty, and the process is forgotten, if it was killed."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "modelarts_emulator.execution.task.controller"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=environment,
                start_new_session=True,
            )
        assert self._process.stdin is not None  # noqa: S101 - for type checkers
        assert self._process.stdout is not None  # noqa: S101
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(task)
            self._process.stdin.flush()
            if number := self._process.stdout.readline():
                return number
        self.close()
        return b""

    def close(self) -> None:
        """End the process; controllers go on."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


class ProcessExecutor(RecordedExecutor):
    """The executor of this machine: jobs below `jobs_dir`.

    Its methods may be called from any thread. Those that look at processes hold a lock, so that each task gets one
    controller. A folder has one such executor at a time.
    `interpreter` names the Python for an engine, unless the job itself names one.
    """

    def __init__(
        self,
        jobs_dir: Path,
        settings: ControllerSettings,
        interpreter: Callable[[Mapping[str, str] | None], str] = lambda _: sys.executable,
    ) -> None:
        super().__init__(jobs_dir, settings, interpreter)
        self._fork_server = ForkServer()
        self._spawned: dict[TaskPlace, ProcessId | None] = {}
        self._reaper = ThreadPoolExecutor(max_workers=1, thread_name_prefix="reaper")

    def submit(self, spec: JobSpec) -> str:
        """Start every task of the attempt that no controller has claimed.

        Raises ValueError for an id that cannot be a folder's name, and for an attempt whose predecessor has not ended.
        """
        with self._lock:
            places = self._begin_attempt(spec)
            for ended in list(self._spawned):
                self._has_ended(ended)
            for place in places:
                if not self._was_started(place):
                    self._spawn(place)
        return spec.job_id

    def advance(self, handles: Collection[str]) -> Mapping[str, Exception]:
        """Start what a crash kept from starting, and record the end of tasks whose controller is gone."""
        return for_each(handles, self._repair_job)

    def _repair_job(self, job_id: str) -> None:
        with self._lock:
            for place in self._tasks(job_id):
                self._repair(place)

    def cancel(self, handle: str) -> None:
        """Ask every task to end; a task that no controller has claimed ends at once.

        The tasks are asked also if that cannot be written down because the disk is full; then OSError is raised.
        """
        with self._lock:
            places = self._tasks(handle)
            try:
                for place in places[:1]:
                    place.stop.touch()
            finally:
                for place in places:
                    if controller := records.read_claim(place):
                        controller.signal(signal.SIGTERM)
                        controller.signal(signal.SIGCONT)  # a script may have sent it SIGSTOP
                    elif place.stop.exists() and not self._was_started(place):
                        records.write_exit(place, records.exit_now(place, STOPPED, "stopped before it started"))

    def delete(self, handles: Collection[str]) -> Mapping[str, Exception]:
        """End the jobs' processes; their files leave their place at once and the disk soon after."""
        running: list[TaskPlace] = []
        with self._lock:
            errors = for_each(handles, lambda job_id: running.extend(self._kill_controllers(job_id)))
            self._kill_orphans(running)
            return errors | for_each([job_id for job_id in handles if job_id not in errors], self._discard_job)

    def _kill_controllers(self, job_id: str) -> list[TaskPlace]:
        """Kill those of the job; its tasks that have not ended."""
        running = [place for place in self._tasks(job_id) if not place.exit.exists()]
        for place in running:
            self._kill_controller(place)
        return running

    def _discard_job(self, job_id: str) -> None:
        for place in self._tasks(job_id):
            self._spawned.pop(place, None)
        self._discard_records(job_id)

    def close(self) -> None:
        """Wait until killed processes are gone; running jobs go on."""
        self._reaper.shutdown()
        with self._lock:
            self._fork_server.close()
        super().close()

    def _was_started(self, place: TaskPlace) -> bool:
        """Whether the task has ended, or has a controller, or was given one here that is just starting."""
        if place.exit.exists() or place.claim.exists():
            return True
        return place in self._spawned and not self._has_ended(place)

    def _repair(self, place: TaskPlace) -> None:
        """Start the task if a crash prevented that, and record its end if its controller is gone."""
        claim = records.read_claim(place)
        is_mine = place in self._spawned
        is_gone = not claim.is_alive() if claim else is_mine and self._has_ended(place)
        # Read after the controller was looked at: what it has written before it ended is there.
        if place.exit.exists():
            self._has_ended(place)
        elif records.read_failure(place) == "node_lost":
            self._lose_node(place)
        elif is_gone and (claim or not place.claim.exists()):
            self._reap_lost(place)
        elif not claim and not is_mine and not self._was_started(place):
            # Written down, but never begun: an emulator was killed in between.
            self._spawn(place)

    def _lose_node(self, place: TaskPlace) -> records.Exit:
        """The task's node is lost: its processes and its files are gone."""
        self._kill_controller(place)
        end = self._reap_lost(place)
        self._kill_controller(place)  # one that claimed the task only now
        if end.failure == "node_lost":
            self._trash.discard(str(place.container))
            self._trash.empty()
        return end

    def _reap_lost(self, place: TaskPlace) -> records.Exit:
        """A controller ended without a record: end what it left behind and write down what is known."""
        self._kill_orphans([place])
        cause = "the task's controller process ended without a record: it was killed, or its disk is full"
        if records.read_failure(place) == "node_lost":
            cause = f"the node of {place.task} was lost"
        end = records.exit_now(place, KILLED, f"{cause}; {records.NOT_DELIVERED}", "node_lost")
        if not records.write_exit(place, end):
            return records.read_exit(place) or end
        return end

    def _kill_controller(self, place: TaskPlace) -> None:
        if controller := records.read_claim(place):
            controller.signal(signal.SIGKILL)
        if spawned := self._spawned.get(place):
            spawned.signal(signal.SIGKILL)

    def _kill_orphans(self, places: list[TaskPlace]) -> None:
        leaders = {
            mark(place.container, place.attempt): start.process if (start := records.read_start(place)) else None
            for place in places
            if place.claim.exists()
        }
        specs = filter(None, map(records.read_spec, places))
        timeout_s = _DEVICE_KILL_TIMEOUT_S if any(any(spec.job.devices or ()) for spec in specs) else _KILL_TIMEOUT_S
        if leaders and not kill_all(lambda: orphans(leaders), timeout_s):
            self._reaper.submit(kill_all, lambda: orphans(leaders), 60.0)

    def _spawn(self, place: TaskPlace) -> None:
        self._spawned[place] = ProcessId.of(self._fork_server.start_controller(place))

    def _has_ended(self, place: TaskPlace) -> bool:
        """Whether no controller that was started here is alive; then it is forgotten."""
        if (spawned := self._spawned.get(place)) and spawned.is_alive():
            return False
        self._spawned.pop(place, None)
        return True

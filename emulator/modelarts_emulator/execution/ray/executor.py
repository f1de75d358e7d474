"""Runs jobs on a Ray cluster whose nodes share the data folder, and the emulator's Python, with this machine.

An attempt is a placement group with a node for each task, and on each node an actor that hosts the task's controller.
Both are detached and named after the attempt, so that the next emulator finds them. What is true of a task is read from
its records, which its controller writes; Ray is asked which attempts wait, and which actors were lost.
All that needs Ray is done by a thread, because Ray may not respond: the methods read and write records only.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from modelarts_emulator.execution.container import INHERITED
from modelarts_emulator.execution.local import records
from modelarts_emulator.execution.local.recorded_executor import (
    ControllerSettings,
    RecordedExecutor,
    controller_environment,
)
from modelarts_emulator.execution.local.records import TaskPlace
from modelarts_emulator.execution.protocol import (
    KILLED,
    STOPPED,
    FailureKind,
    JobSpec,
    Resources,
    TaskEvent,
    TaskReport,
    for_each,
    spec_from_json,
)
from modelarts_emulator.execution.ray.connection import (
    ADDRESS,
    PYTHON,
    Connection,
    RayUnreachableError,
    check_address,
    check_python,
)

__all__ = ["RayExecutor"]

log = logging.getLogger(__name__)

INTERVAL_S = 0.1
"""Between two looks at Ray while attempts are there."""
WAIT_S = 1.0
"""For how long an attempt waits before its events say so."""
SUPERVISED_S = 5.0
"""For how long attempts are looked at after `advance` was called last: another front end may supervise them."""
RETRY_DELAYS_S = (0.5, 1.0, 2.0, 5.0)
"""Before the cluster is tried again that cannot be reached; the last delay repeats."""
SUBMISSIONS_PER_CALL = 200
"""Far fewer than Ray takes in the time that a response may take."""
FOLDER = ".ray"
PREFIX = "modelarts-"


class RayExecutor(RecordedExecutor):
    """The executor of a Ray cluster: jobs below `jobs_dir`, which all nodes see under the same path.

    The cluster is that of `RAY_ADDRESS`; without it, one of this machine is started when it is needed. `python` is the
    one that has Ray, by default that of `MODELARTS_EMULATOR_RAY_PYTHON`. Raises EmulatorError if it has no
    Ray, or the address is none.
    """

    owns_queue = True

    def __init__(
        self,
        jobs_dir: Path,
        settings: ControllerSettings,
        interpreter: Callable[[Mapping[str, str] | None], str] = lambda _: sys.executable,
        python: str | None = None,
    ) -> None:
        super().__init__(jobs_dir, settings, interpreter)
        python = python or os.environ.get(PYTHON) or sys.executable
        address = os.environ.get(ADDRESS) or None
        check_python(python)
        check_address(address)
        self._folder = self._jobs / FOLDER
        self._removals = self._folder / "removals"
        self._connection = Connection(self._folder, python, address)
        self._attempts: dict[str, list[TaskPlace]] = {}
        self._known: set[str] = set()  # by the gateway
        self._generation = 0
        self._reported: dict[str, str] = {}
        self._waiting_since: dict[str, float] = {}
        self._advanced_at = -SUPERVISED_S
        self._is_swept = False
        self._is_closing = False
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        if self._removals.exists() and any(self._removals.iterdir()):
            self._wake_thread()

    def submit(self, spec: JobSpec) -> str:
        """Write the attempt down; the thread gives it to Ray."""
        with self._lock:
            self._begin_attempt(spec)
        self.advance([spec.job_id])
        return spec.job_id

    def advance(self, handles: Collection[str]) -> Mapping[str, Exception]:
        """Let the thread look at these jobs."""
        with self._lock:
            errors = for_each(handles, self._watch)
        self._advanced_at = time.monotonic()
        self._wake_thread()
        return errors

    def cancel(self, handle: str) -> None:
        """Ask every task to end; one that no controller has claimed ends at once."""
        with self._lock:
            for place in self._tasks(handle):
                place.stop.touch()
                if not place.claim.exists():
                    _end(place, STOPPED, "stopped before it started")

    def delete(self, handles: Collection[str]) -> Mapping[str, Exception]:
        """Delete the jobs' files; with its records a controller ends its task, and the thread frees the nodes."""
        with self._lock:
            errors = for_each(handles, self._remove)
        self._wake_thread()
        return errors

    def inject_fault(self, handle: str, task: str, kind: FailureKind) -> bool:
        """Cause this failure of the task; False if it has ended."""
        place = self._task(handle, task)
        with self._lock:
            if place.exit.exists():
                return False
            records.write(place.failure, {"kind": kind})
            if kind == "node_lost":
                _end(place, KILLED, f"the node of {place.task} was lost; {records.NOT_DELIVERED}", kind)
        return True

    def forget(self) -> None:
        """Find tasks, and what is at Ray, anew."""
        super().forget()
        with self._lock:
            self._attempts.clear()
            self._reported.clear()
            self._is_swept = False

    def close(self) -> None:
        """Let go of the cluster; one that was started here ends if nothing runs on it."""
        with self._lock:
            self._is_closing = True
            thread = self._thread
        self._wake.set()
        if thread is not None:
            thread.join()
        with contextlib.suppress(RayUnreachableError):
            if self._connection.is_open and not self._is_in_use():
                self._connection.stop_cluster()
        self._connection.close()
        super().close()

    def _is_in_use(self) -> bool:
        """Whether there are attempts at Ray, after those that have ended were removed."""
        self._look()
        return bool(self._connection.call({"look": {}, "remove": {}, "list": True})["names"])

    # Under the lock

    def _watch(self, job_id: str) -> None:
        places = self._tasks(job_id)
        if places and not _have_ended(places):
            self._attempts.setdefault(_name(places[0]), places)

    def _remove(self, job_id: str) -> None:
        if places := self._tasks(job_id):
            name = _name(places[0])
            self._removals.mkdir(mode=0o700, parents=True, exist_ok=True)
            (self._removals / f"{name}.{len(places)}").touch()
            self._attempts.pop(name, None)
        self._discard_records(job_id)

    def _report(self, place: TaskPlace) -> TaskReport:
        report = super()._report(place)
        return replace(report, state="queued") if report.state == "preparing" and not place.claim.exists() else report

    # The thread

    def _wake_thread(self) -> None:
        with self._lock:
            if self._thread is None and not self._is_closing:
                self._thread = threading.Thread(target=self._run, name="ray", daemon=True)
                self._thread.start()
        self._wake.set()

    def _is_supervised(self) -> bool:
        return time.monotonic() < self._advanced_at + SUPERVISED_S

    def _run(self) -> None:
        failures = 0
        while not self._is_closing:
            self._wake.clear()
            delay: float | None = INTERVAL_S
            try:
                if not self._look():
                    delay = None
                failures = 0
            except RayUnreachableError as error:
                self._add_event_to_waiting(f"The job is waiting: {error}.")
                delay = RETRY_DELAYS_S[min(failures, len(RETRY_DELAYS_S) - 1)]
                failures += 1
            except Exception:
                log.exception("jobs on Ray cannot be looked at and will be looked at again")
                delay = RETRY_DELAYS_S[-1]
            if failures:
                self._pause(delay or 0.0)
            else:
                self._wake.wait(delay)

    def _pause(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not self._is_closing and time.monotonic() < deadline:
            time.sleep(INTERVAL_S)

    def _look(self) -> bool:
        """Bring attempts to Ray, take over what it says of them, and free what has ended; False if nothing is left."""
        with self._lock:
            attempts = dict(self._attempts)
        ended = {name: len(places) for name, places in attempts.items() if _have_ended(places)}
        removed = {path: path.name for path in self._removals.iterdir()} if self._removals.exists() else {}
        gone = {name: int(count) for name, _, count in (marker.rpartition(".") for marker in removed.values())}
        looked = {name: places for name, places in attempts.items() if name not in ended and self._is_supervised()}
        if not (looked or ended or gone):
            return False
        self._connection.open()
        if self._connection.generation != self._generation:
            self._known.clear()
            self._generation = self._connection.generation
        look = self._requests(looked)
        response = self._connection.call({"look": look, "remove": ended | gone, "list": not self._is_swept})
        self._known |= set(look)
        with self._lock:
            for name in ended:
                self._attempts.pop(name, None)
        for name in (*ended, *gone):
            self._known.discard(name)
            self._reported.pop(name, None)
            self._waiting_since.pop(name, None)
        for path in removed:
            path.unlink()
        for name, found in response["attempts"].items():
            self._take_over(name, looked[name], found)
        if not self._is_swept:
            self._sweep(response["names"])
        return True

    def _requests(self, attempts: Mapping[str, Sequence[TaskPlace]]) -> dict[str, dict[str, Any] | None]:
        """What to ask of attempts: None of those that the gateway knows, and of others, as many as it soon submits."""
        found: dict[str, dict[str, Any] | None] = {name: None for name in attempts if name in self._known}
        most = len(found) + SUBMISSIONS_PER_CALL
        for name, places in attempts.items():
            if len(found) == most:
                break
            if name not in self._known:
                if (spec := records.read_spec(places[0])) is not None:
                    found[name] = self._request(places, spec)
                else:
                    self._give_up(name, places)
        return found

    def _give_up(self, name: str, places: Sequence[TaskPlace]) -> None:
        """End an attempt that has no specification, unless it was removed meanwhile."""
        with self._lock:
            self._attempts.pop(name, None)
            for place in places:
                _end(place, 1, "the job's specification was altered or damaged: submit the job again")

    def _request(self, places: Sequence[TaskPlace], spec: Mapping[str, Any]) -> dict[str, Any]:
        """What Ray is asked for: nodes, and on each of them the controller of a task."""
        tasks = [
            {
                "command": [sys.executable, "-m", f"{__package__}.task", str(place.jobs), place.job_id,
                            str(place.attempt), place.task],
                "log": str(place.controller_log),
                "exit": str(place.exit),
                "has_begun": place.claim.exists(),
                "has_ended": place.exit.exists(),
            }
            for place in places
        ]  # fmt: skip
        return {
            "node_count": len(places),
            "resources": _bundle(spec_from_json(spec["job"]).resources),
            "tasks": tasks,
            "environment": controller_environment(),
            "inherited": sorted(INHERITED),
        }

    def _take_over(self, name: str, places: Sequence[TaskPlace], found: Mapping[str, Any]) -> None:
        """Write down what Ray says of an attempt."""
        if found["state"] == "waiting":
            if time.monotonic() > self._waiting_since.setdefault(name, time.monotonic()) + WAIT_S:
                reason = str(found["reason"])
                self._add_event(name, places[0], f"The job is waiting for resources: {reason}.", reason)
        elif found["state"] == "error":
            self._known.discard(name)
            self._add_event(name, places[0], f"The job is waiting: Ray rejected it: {found['reason']}", "error")
        for index, end in found.get("ends", {}).items():
            place = places[int(index)]
            if place.exit.exists() or not place.spec.exists():
                continue
            if "error" in end:
                reason = f"{end['error']}; let all nodes share {place.jobs} and {sys.executable}"
                _end(place, 1, f"the controller cannot be started on its node: {reason}")
            elif end.get("lost"):
                _end(
                    place,
                    KILLED,
                    f"the node of {place.task}, or its actor, was lost; {records.NOT_DELIVERED}",
                    "node_lost",
                )
            else:
                reason = f"the task's controller process ended without a record (see {place.controller_log})"
                _end(place, KILLED, f"{reason}; {records.NOT_DELIVERED}")

    def _sweep(self, names: Sequence[str]) -> None:
        """Free what an emulator that was killed has left at Ray: attempts of this folder that have ended."""
        for name in names:
            job_id, _, attempt = name.removeprefix(PREFIX).rpartition("-")
            if name.startswith(PREFIX) and attempt.isdecimal():
                places = TaskPlace(self._jobs, job_id, int(attempt), "worker-0")
                if (spec := records.read_spec(places)) is not None:
                    found = places.tasks(spec["job"]["node_count"])
                    with self._lock:
                        self._attempts.setdefault(name, found)
        self._is_swept = True

    def _add_event_to_waiting(self, message: str) -> None:
        with self._lock:
            waiting = {name: places for name, places in self._attempts.items() if not places[0].claim.exists()}
        for name, places in waiting.items():
            self._add_event(name, places[0], message, "unreachable")

    def _add_event(self, name: str, place: TaskPlace, message: str, state: str) -> None:
        """Add an event to the attempt, unless the last one was on the same state."""
        if self._reported.get(name) != state:
            self._reported[name] = state
            with contextlib.suppress(OSError):  # the job was removed
                records.add_event(place, TaskEvent(time.time(), f"[{place.task}] {message}", "K8S"))


def _name(place: TaskPlace) -> str:
    """The name of the attempt at Ray."""
    return f"{PREFIX}{place.job_id}-{place.attempt}"


def _have_ended(places: Sequence[TaskPlace]) -> bool:
    return all(place.exit.exists() for place in places)


def _bundle(resources: Resources) -> dict[str, float]:
    """What the placement group has for each node."""
    bundle: dict[str, float] = {"CPU": resources.cpu_cores or 1}
    if resources.gpu_count:
        bundle["GPU"] = resources.gpu_count
    if resources.memory_bytes:
        bundle["memory"] = resources.memory_bytes
    return bundle


def _end(place: TaskPlace, code: int, message: str, failure: FailureKind | None = None) -> None:
    """Write down how the task ended, unless that was done."""
    start = records.read_start(place)
    with contextlib.suppress(FileNotFoundError):  # the job was removed
        records.write_exit(
            place, records.Exit(start.started_at if start else None, time.time(), code, message, failure)
        )

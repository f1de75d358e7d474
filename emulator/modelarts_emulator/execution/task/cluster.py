"""What executors of clusters share: records of the wanted attempts, and a thread that submits and removes them.

All nodes of the cluster share the folder of the records. No method waits for the cluster's engine. A controller reads
from its records what to do; the thread submits attempts to the engine and records what the engine reports of them. The
engine knows an attempt by a name that holds a hash of the folder, so that any emulator of the folder finds its attempts
there, and ends those of deleted jobs.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from modelarts_emulator.execution.protocol import (
    FAILED,
    KILLED,
    STOPPED,
    FailureKind,
    JobSpec,
    TaskEvent,
    TaskReport,
    for_each,
)
from modelarts_emulator.execution.task import records
from modelarts_emulator.execution.task.recorded_executor import ControllerSettings, RecordedExecutor
from modelarts_emulator.execution.task.records import TaskPlace, have_ended

log = logging.getLogger(__name__)

SUPERVISED_S = 5.0
"""How long the thread runs after the last request. By then another front end may supervise the jobs."""
RETRY_S = 5.0
_TAIL_BYTES, _TAIL_LINES = 4096, 5
UNREADABLE_SPEC = "the job's specification was altered or damaged: submit the job again"
MAX_EVENTS = 50
"""The largest number of events of an attempt."""


class ClusterExecutor(RecordedExecutor):
    """Jobs below `jobs_dir`, which all nodes see under this path; subclasses define `_look`.

    There is one such executor at a time on a folder. `name` is that of the thread.
    """

    owns_queue = True
    submission_s = 90.0
    """An ended attempt can still appear at the engine for so long, if its submission was under way."""

    def __init__(
        self,
        jobs_dir: Path,
        settings: ControllerSettings,
        interpreter: Callable[[Mapping[str, str] | None], str],
        name: str,
    ) -> None:
        super().__init__(jobs_dir, settings, interpreter)
        self._jobs.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = hashlib.sha256(f"{self._jobs}\0{self._jobs.stat().st_ino}".encode()).hexdigest()[:8]
        self._prefix = f"modelarts-{folder}-"
        self._attempts: dict[str, list[TaskPlace]] = {}  # by name, those that have not ended
        self._new: set[str] = set()  # of these, those that the engine cannot have
        self._supervised_until = self._sweep_until = time.monotonic()
        self._thread_name = name
        self._thread: threading.Thread | None = None
        self._wake = threading.Event()
        self._is_closing = False

    def submit(self, spec: JobSpec) -> str:
        """Write the attempt down, unless that was done; the thread submits it to the engine.

        Raises ValueError for an id that cannot be a folder's name, and for an attempt whose predecessor has not ended.
        """
        with self._lock:
            before = self._tasks(spec.job_id)
            is_new = not before or before[0].attempt < spec.attempt
            places = self._begin_attempt(spec)
            if is_new:
                self._new.add(self._name(places[0]))
        self.advance([spec.job_id])
        return spec.job_id

    def advance(self, handles: Collection[str]) -> Mapping[str, Exception]:
        """Let the thread look at these jobs."""
        with self._lock:
            errors = for_each(handles, self._watch)
        self._supervise()
        return errors

    def cancel(self, handle: str) -> None:
        """Ask every task to end; one that no controller has claimed ends at once."""
        with self._lock:
            if places := self._tasks(handle):
                places[0].stop.touch()
                for place in places:
                    if not place.claim.exists():
                        end(place, STOPPED, "stopped before it started")
                self._drop_if_ended(places)

    def delete(self, handles: Collection[str]) -> Mapping[str, Exception]:
        """Delete the jobs' files. Their controllers notice that and end; the thread removes the jobs at the engine."""
        with self._lock:
            return for_each(handles, self._remove)

    def _lose_node(self, place: TaskPlace) -> None:
        end_as_lost(place, f"the node of {place.task} was lost")
        self._drop_if_ended(self._tasks(place.job_id))

    def forget(self) -> None:
        """Read the tasks and the engine's attempts again."""
        super().forget()
        with self._lock:
            self._attempts.clear()
            self._new.clear()
            self._supervised_until = self._sweep_until = time.monotonic()

    def close(self) -> None:
        """End the thread; jobs at the engine go on."""
        with self._lock:
            self._is_closing = True
            thread = self._thread
        self._wake.set()
        if thread is not None:
            thread.join()
        super().close()

    # Under the lock

    def _name(self, place: TaskPlace) -> str:
        """What the engine calls the attempt."""
        return f"{self._prefix}{place.job_id}-{place.attempt}"

    def _watch(self, job_id: str) -> None:
        places = self._tasks(job_id)
        if places and not self._is_over(places):
            self._attempts.setdefault(self._name(places[0]), places)

    def _is_over(self, places: list[TaskPlace]) -> bool:
        """Whether the attempt has ended and nothing more will be known of it."""
        return have_ended(places)

    def _drop_if_ended(self, places: list[TaskPlace]) -> None:
        """Remove the attempt at the engine if all its tasks have ended."""
        if have_ended(places):
            self._drop(self._name(places[0]))

    def _drop(self, name: str) -> None:
        """Let the thread remove the attempt at the engine, even if the engine gets it only later."""
        self._attempts.pop(name, None)
        self._new.discard(name)
        self._sweep_until = time.monotonic() + self.submission_s
        self._wake_thread()

    def _remove(self, job_id: str) -> None:
        places = self._tasks(job_id)
        has_ended = have_ended(places)
        self._discard_records(job_id)
        if places and not has_ended:
            self._drop(self._name(places[0]))

    def _report(self, place: TaskPlace) -> TaskReport:
        report = super()._report(place)
        return replace(report, state="queued") if report.state == "preparing" and not place.claim.exists() else report

    # The thread

    def _look(self) -> float | None:
        """Submit attempts to the engine, and record what it reports; returns the seconds until the next look.

        None if there is nothing to do until somebody wakes the thread.
        """
        raise NotImplementedError

    @property
    def _is_supervised(self) -> bool:
        return time.monotonic() < self._supervised_until

    def _supervise(self) -> None:
        """Let the thread work for some time."""
        with self._lock:
            self._supervised_until = time.monotonic() + SUPERVISED_S
            self._wake_thread()

    def _wake_thread(self) -> None:
        """Let the thread look now; the caller holds the lock."""
        if self._thread is None and not self._is_closing:
            self._thread = threading.Thread(target=self._run, name=self._thread_name, daemon=True)
            self._thread.start()
        self._wake.set()

    def _run(self) -> None:
        while not self._is_closing:
            self._wake.clear()
            try:
                delay = self._look()
            except Exception:
                log.exception("the cluster cannot be looked at, and will be looked at again")
                time.sleep(RETRY_S)
                delay = 0.0
            self._wake.wait(delay)

    def _is_wanted(self, name: str) -> bool:
        """Whether the engine's attempt of this name belongs to a job that still needs it."""
        job_id, _, attempt = name.removeprefix(self._prefix).rpartition("-")
        place = TaskPlace(self._jobs, job_id, int(attempt), "worker-0") if attempt.isdecimal() else None
        spec = records.read_spec(place) if place is not None else None
        return spec is not None and place is not None and not self._is_over(place.tasks(spec.job.node_count))

    def _add_event(
        self,
        places: list[TaskPlace],
        text: str,
        level: Literal["Info", "Warning"] = "Info",
        is_repeated: bool = True,
    ) -> None:
        """Add an event to the first task, at most `MAX_EVENTS` in all.

        The event is left out if it equals the last one, or any earlier one unless it `is_repeated`.
        """
        first, message = places[0], f"[{places[0].task}] {text}"
        with self._lock, contextlib.suppress(OSError):  # the job was removed, or the disk is full
            own = [event.message for event in records.read_events(first) if event.source == "K8S"]
            if message not in (own[-1:] if is_repeated else own) and len(own) < MAX_EVENTS:
                records.add_event(first, TaskEvent(time.time(), message, "K8S", level))


def end(place: TaskPlace, code: int, message: str, failure: FailureKind | None = None) -> None:
    """Write down how the task ended. Nothing happens if that was done, or if the job was removed."""
    with contextlib.suppress(FileNotFoundError):
        records.write_exit(place, records.exit_now(place, code, message, failure))


def end_as_lost(place: TaskPlace, cause: str) -> None:
    """Write down that the task was lost for this cause, as `end` does."""
    end(place, KILLED, f"{cause}; {records.NOT_DELIVERED}", "node_lost")


def end_as_failed(places: Sequence[TaskPlace], message: str) -> None:
    """Write down that these tasks were not started, as `end` does."""
    for place in places:
        end(place, FAILED, message)


def printed(place: TaskPlace) -> str:
    """The last lines of the controller's own output, after a colon; empty if it printed nothing."""
    try:
        size = place.controller_log.stat().st_size
        data = records.read_bytes(place.controller_log, _TAIL_BYTES, max(0, size - _TAIL_BYTES))
    except OSError:
        return ""
    lines = [line.strip() for line in data.decode("utf-8", "replace").splitlines() if line.strip()]
    return f": {'; '.join(lines[-_TAIL_LINES:])}" if lines else ""

"""Runs jobs on a Slurm cluster: an allocation for each attempt of a job, and on each of its nodes a controller.

All nodes share the folder of the records, from which a controller reads what to do. No method waits for Slurm: a thread
reads its queue, for all attempts at once, and compares it with the records. It submits attempts that are missing and
have not begun, cancels those that no job needs, and records those that Slurm has ended or forgotten. It repeats what
failed after the next reading. Attempts are found by their names alone, which hold a hash of the folder: so any emulator
of the folder finds its attempts, and ends those of deleted jobs.
"""

from __future__ import annotations

import hashlib
import logging
import sys
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Literal

from modelarts_emulator.execution.protocol import (
    FAILED,
    KILLED,
    STOPPED,
    JobSpec,
    TaskEvent,
    TaskReport,
    for_each,
)
from modelarts_emulator.execution.slurm import commands, ends
from modelarts_emulator.execution.slurm.commands import (
    QueuedJob,
    SlurmDelayError,
    SlurmError,
    SlurmFlavor,
    SlurmRejectedError,
    SlurmUnavailableError,
    pause_s,
    read_queue,
)
from modelarts_emulator.execution.task import records
from modelarts_emulator.execution.task.recorded_executor import (
    ControllerSettings,
    RecordedExecutor,
    controller_environment,
)
from modelarts_emulator.execution.task.records import TaskPlace, have_ended

log = logging.getLogger(__name__)

SUPERVISED_S = 5.0
"""How long the thread runs after the last request. By then another front end may supervise the jobs."""
SUBMISSION_S = 90.0
"""An ended attempt can still appear at Slurm for so long, if its submission was under way."""
RETRY_S = 5.0
MAX_EVENTS = 50
"""The largest number of events of an attempt."""
READ_INTERVAL_S = 1.0
"""Seconds from one reading of the queue to the next one, at least."""
RECORD_TIMEOUT_S = 3.0
"""The folder may be remote: the records of an ended attempt can take so long to appear here."""
RECENT_S, RECENT_JOBS = 5.0, 200
"""A job that was just submitted may start soon: its records are read although the queue still shows it as waiting."""
LOOK_INTERVAL_S, LOOK_INTERVAL_PER_JOB_S = 0.1, 0.002
THREADS = 4
"""Commands that run at once, besides the one that reads the queue."""
MAX_TRIES = 3
"""How often an attempt is submitted if Slurm cannot begin it, for example because a node's daemon is starting."""
NOT_BEGUN = ("FAILED", "NODE_FAIL", "BOOT_FAIL", "CANCELLED")
"""How it ends then: a daemon cancels what it cannot begin, such as a job whose id it still has from before a crash."""
FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 8.0
"""The pause before the next submission, while Slurm does not take jobs of a flavor."""


@dataclass(slots=True)
class _Submission:
    """What is known of an attempt; times in seconds of a clock that never goes back."""

    slurm_id: str = ""
    is_queued: bool = False
    """Whether it waits here to be submitted, or is being submitted."""
    sent_at: float = float("-inf")
    """A reading of the queue that began later shows the attempt if Slurm has it."""
    shown: QueuedJob | None = None
    gone_at: float | None = None
    """When it was first seen that Slurm has ended it, or does not have it any more."""
    end_state: str = ""
    """In which Slurm showed it as ended; it forgets ended jobs after a while (`MinJobAge`)."""
    dead_id: str = ""
    """A job of Slurm that ended before any controller began, so that the attempt was submitted again."""
    tries: int = 0


@dataclass(slots=True)
class _Lane:
    """Attempts of one flavor, and so of one account, that are to be submitted one after the other."""

    names: deque[str] = field(default_factory=deque)
    due_at: float = 0.0
    pause_s: float = FIRST_PAUSE_S
    is_delayed: bool = False


class SlurmExecutor(RecordedExecutor):
    """The executor of a cluster: jobs below `jobs_dir`, which all nodes see under this path; data by the store's URL.

    There is one such executor at a time on a folder.
    `flavors` are what flavors are at Slurm; a flavor that is not named is what its resources say.
    """

    owns_queue = True

    def __init__(
        self,
        jobs_dir: Path,
        settings: ControllerSettings,
        flavors: Mapping[str, SlurmFlavor],
        interpreter: Callable[[Mapping[str, str] | None], str] = lambda _: sys.executable,
    ) -> None:
        commands.check_installed()
        super().__init__(jobs_dir, settings, interpreter)
        self._jobs.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = hashlib.sha256(f"{self._jobs}\0{self._jobs.stat().st_ino}".encode()).hexdigest()[:8]
        self._prefix = f"modelarts-{folder}-"
        self._attempts: dict[str, list[TaskPlace]] = {}  # by name, those that have not ended
        self._new: set[str] = set()  # of these, those that Slurm cannot have
        self._supervised_until = self._sweep_until = time.monotonic()
        self._thread: threading.Thread | None = None
        self._wake = threading.Event()
        self._is_closing = False
        self._flavors = flavors
        self._pool = ThreadPoolExecutor(THREADS, "slurm-command")
        self._changed: set[str] = set()
        self._recent: deque[tuple[float, str]] = deque(maxlen=RECENT_JOBS)
        self._running: set[str] = set()
        self._look_due = 0.0
        self.status_calls = 0
        """How often Slurm was asked for its queue."""
        # Of the thread alone.
        self._submissions: dict[str, _Submission] = {}
        self._lanes: OrderedDict[str, _Lane] = OrderedDict()
        self._read_at = float("-inf")
        self._read_due = 0.0
        self._error: SlurmError | None = None
        self._reported = ""
        self._sending = 0
        self._cancelling: set[str] = set()
        self._results: SimpleQueue[Callable[[], None]] = SimpleQueue()

    # The protocol

    def changed_jobs(self) -> Collection[str]:
        """The jobs that changed at Slurm or may have begun; also running jobs, but only from time to time."""
        self._supervise()
        now = time.monotonic()
        with self._lock:
            found, self._changed = self._changed, set()
            while self._recent and self._recent[0][0] < now:
                self._recent.popleft()
            found |= {job_id for _, job_id in self._recent}
            if now >= self._look_due:
                found |= self._running
                self._look_due = now + max(LOOK_INTERVAL_S, LOOK_INTERVAL_PER_JOB_S * len(self._running))
        return found

    def submit(self, spec: JobSpec) -> str:
        """Write the attempt down, unless that was done; the thread submits it to Slurm.

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
                        ends.end(place, STOPPED, "stopped before it started")
                self._drop_if_ended(places)

    def delete(self, handles: Collection[str]) -> Mapping[str, Exception]:
        """Delete the jobs' files. Their controllers notice that and end; the thread cancels the jobs at Slurm."""
        with self._lock:
            return for_each(handles, self._remove)

    def _lose_node(self, place: TaskPlace) -> None:
        message = f"the node of {place.task} was lost; {records.NOT_DELIVERED}"
        ends.end(place, KILLED, message, "node_lost")
        self._drop_if_ended(self._tasks(place.job_id))

    def forget(self) -> None:
        """Read the tasks and Slurm's attempts again."""
        super().forget()
        with self._lock:
            self._attempts.clear()
            self._new.clear()
            self._supervised_until = self._sweep_until = time.monotonic()

    def close(self) -> None:
        """End the threads; jobs at Slurm continue."""
        with self._lock:
            self._is_closing = True
            thread = self._thread
        self._wake.set()
        if thread is not None:
            thread.join()
        super().close()
        self._pool.shutdown(cancel_futures=True)

    # Under the lock

    def _name(self, place: TaskPlace) -> str:
        """What Slurm calls the attempt."""
        return f"{self._prefix}{place.job_id}-{place.attempt}"

    def _watch(self, job_id: str) -> None:
        places = self._tasks(job_id)
        if places and not ends.is_decided(places):
            self._attempts.setdefault(self._name(places[0]), places)

    def _drop_if_ended(self, places: list[TaskPlace]) -> None:
        """Cancel the attempt at Slurm if all its tasks have ended."""
        if have_ended(places):
            self._drop(self._name(places[0]))

    def _drop(self, name: str) -> None:
        """Let the thread cancel the attempt at Slurm, even if Slurm gets it only later."""
        self._attempts.pop(name, None)
        self._new.discard(name)
        self._sweep_until = time.monotonic() + SUBMISSION_S
        self._wake_thread()

    def _remove(self, job_id: str) -> None:
        places = self._tasks(job_id)
        has_ended = have_ended(places)
        self._discard_records(job_id)
        if places and not has_ended:
            self._drop(self._name(places[0]))

    def _report(self, place: TaskPlace) -> TaskReport:
        report = super()._report(place)
        if report.state == "preparing" and not place.claim.exists():
            report = replace(report, state="queued")
        return ends.described(report, place)

    # The thread

    def _supervise(self) -> None:
        """Let the thread work for some time."""
        with self._lock:
            self._supervised_until = time.monotonic() + SUPERVISED_S
            self._wake_thread()

    def _wake_thread(self) -> None:
        """Let the thread look now; the caller holds the lock."""
        if self._thread is None and not self._is_closing:
            self._thread = threading.Thread(target=self._run, name="slurm", daemon=True)
            self._thread.start()
        self._wake.set()

    def _run(self) -> None:
        while not self._is_closing:
            self._wake.clear()
            try:
                delay = self._look()
            except Exception:
                log.exception("Slurm's queue cannot be followed, and will be looked at again")
                time.sleep(RETRY_S)
                delay = 0.0
            self._wake.wait(delay)

    def _look(self) -> float | None:
        """Submit attempts, and record what the queue shows; returns the seconds until the next look.

        None if there is nothing to do until somebody wakes the thread.
        """
        with self._lock:
            attempts = dict(self._attempts)
            new, self._new = self._new, set()
        while not self._results.empty():
            self._results.get()()
        for name in new & attempts.keys():
            self._guard(name, partial(self._enqueue, name, attempts[name]))
        is_supervised = bool(attempts) and time.monotonic() < self._supervised_until
        if not is_supervised and self._read_at >= self._sweep_until:
            return None
        if time.monotonic() >= self._read_due:
            self._read(attempts)
        self._submit_some(attempts)
        due = [self._read_due, *(lane.due_at for lane in self._lanes.values() if lane.names and lane.is_delayed)]
        return max(0.0, min(due) - time.monotonic())

    def _read(self, attempts: Mapping[str, list[TaskPlace]]) -> None:
        """Read the queue, and act on it for every attempt."""
        began_at = time.monotonic()
        self.status_calls += 1
        try:
            queue = read_queue(self._prefix)
        except SlurmError as error:
            self._read_due = time.monotonic() + READ_INTERVAL_S
            self._fail(error, attempts)
            return
        self._error = None
        self._read_at, ended_at = began_at, time.monotonic()
        self._read_due = ended_at + pause_s(READ_INTERVAL_S, ended_at - began_at)
        for gone in self._submissions.keys() - attempts.keys():
            del self._submissions[gone]
        for name, places in attempts.items():
            self._guard(name, partial(self._follow, name, places, queue.get(name)))
        for name, job in queue.items():
            if name not in attempts and job.stage != "ended":
                self._guard(name, partial(self._sweep, name, job))
        running = {name for name, job in queue.items() if job.stage == "running"}
        with self._lock:
            self._running = {attempts[name][0].job_id for name in running & attempts.keys()}

    def _follow(self, name: str, places: list[TaskPlace], job: QueuedJob | None) -> None:
        """Act on what the queue shows of an attempt."""
        submission = self._submissions.setdefault(name, _Submission())
        if job is not None and job.slurm_id == submission.dead_id:
            job = None
        if job is None and (submission.is_queued or self._read_at <= submission.sent_at):
            return
        if job is not None and submission.gone_at is None and not _differ(submission.shown, job):
            return
        before, submission.shown = submission.shown, job
        with self._lock:
            self._changed.add(places[0].job_id)
        has_begun, have_all_ended = any(place.claim.exists() for place in places), have_ended(places)
        # Slurm would run again what waits there although it began. That is a restart, which the emulator decides on.
        is_requeued = job is not None and job.stage == "waiting" and has_begun
        if job is not None and job.stage != "ended" and not is_requeued:
            submission.gone_at = None
            self._note_queued(places, submission, before, job)
            return
        is_unbegun = not has_begun and not have_all_ended
        if is_unbegun and job is None and not submission.slurm_id:
            self._enqueue(name, places)
            return
        submission.gone_at = submission.gone_at or time.monotonic()
        if job is not None and job.stage == "ended":
            submission.end_state = job.state
        if not have_all_ended and time.monotonic() < submission.gone_at + RECORD_TIMEOUT_S:
            return
        has_failed = job is not None and job.state in NOT_BEGUN and (bool(job.nodes) or job.state != "CANCELLED")
        if is_unbegun and (job is None or (has_failed and submission.tries < MAX_TRIES)):
            what = f"Slurm could not begin job {job.slurm_id}" if job else f"Slurm lost job {submission.slurm_id}"
            self._add_event(places, f"{what}, which did nothing: it is submitted again.", "Warning")
            submission.dead_id = job.slurm_id if job is not None else submission.dead_id
            self._enqueue(name, places)
            return
        known = submission.end_state or ends.UNKNOWN
        state = known if job is None else "PREEMPTED" if is_requeued else job.state
        allocated = records.read(ends.allocation(places[0])) or {}
        slurm_id = str(allocated.get("SLURM_JOB_ID", submission.slurm_id))
        self._conclude(name, places, lambda: ends.conclude(places, state, slurm_id))

    def _note_queued(
        self, places: list[TaskPlace], submission: _Submission, before: QueuedJob | None, job: QueuedJob
    ) -> None:
        if not submission.slurm_id:
            submission.slurm_id = job.slurm_id
            self._add_event(places, f"The job is job {job.slurm_id} of Slurm.", is_repeated=False)
        if job.stage == "waiting" and job.reason not in ("None", before.reason if before else ""):
            waits = f"The job waits at Slurm (partition {job.partition}, priority {job.priority})"
            self._add_event(places, f"{waits}: {ends.describe_wait(job.reason)}.")

    def _conclude(self, name: str, places: list[TaskPlace], write: Callable[[], object]) -> None:
        """Write down the end of the attempt, unless it was removed."""
        with self._lock:
            if self._attempts.get(name) is places:
                write()
                del self._attempts[name]
                self._sweep_until = max(self._sweep_until, time.monotonic())
                self._changed.add(places[0].job_id)

    def _reject(self, name: str, places: list[TaskPlace], message: str) -> None:
        """Write down that the tasks of the attempt were not started."""

        def write() -> None:
            for place in places:
                ends.end(place, FAILED, message)

        self._conclude(name, places, write)

    def _is_wanted(self, name: str) -> bool:
        """Whether Slurm's attempt of this name belongs to a job that still needs it."""
        job_id, _, attempt = name.removeprefix(self._prefix).rpartition("-")
        place = TaskPlace(self._jobs, job_id, int(attempt), "worker-0") if attempt.isdecimal() else None
        spec = records.read_spec(place) if place is not None else None
        return spec is not None and place is not None and not ends.is_decided(place.tasks(spec.job.node_count))

    def _sweep(self, name: str, job: QueuedJob) -> None:
        """Cancel an attempt that no job needs; the next reading shows whether that worked."""
        if name not in self._cancelling and not self._is_wanted(name):
            self._cancelling.add(name)
            with self._lock:
                self._sweep_until = max(self._sweep_until, time.monotonic())
            self._pool.submit(self._cancel, name, job.slurm_id)

    def _cancel(self, name: str, slurm_id: str) -> None:
        """In another thread: by id and name, because Slurm may give an id to another job after it lost its state."""
        try:
            commands.run("scancel", "--quiet", f"--name={name}", slurm_id)
        except SlurmError as error:
            log.debug("scancel: %s", error)
        finally:
            self._results.put(lambda: self._cancelling.discard(name))

    # Submissions

    def _enqueue(self, name: str, places: list[TaskPlace]) -> None:
        """Submit the attempt when it is its turn."""
        if (spec := records.read_spec(places[0])) is None:
            self._reject(name, places, "the job's specification was altered or damaged: submit the job again")
            return
        before = self._submissions.get(name, _Submission())
        self._submissions[name] = _Submission(is_queued=True, dead_id=before.dead_id, tries=before.tries + 1)
        self._lanes.setdefault(spec.job.resources.flavor_id, _Lane()).names.append(name)
        if self._error is not None:
            self._add_event(places, _unavailable(self._error), "Warning")

    def _submit_some(self, attempts: Mapping[str, list[TaskPlace]]) -> None:
        """Let commands submit attempts, of every flavor in turn."""
        now = time.monotonic()
        while self._error is None and self._sending < THREADS:
            found = ((key, lane) for key, lane in self._lanes.items() if lane.names and lane.due_at <= now)
            if (turn := next(found, None)) is None:
                return
            key, lane = turn
            self._lanes.move_to_end(key)
            name = lane.names.popleft()
            if (places := attempts.get(name)) is not None:
                self._sending += 1
                if lane.is_delayed:
                    lane.due_at = float("inf")  # until it is known whether there is room again
                self._pool.submit(self._send, name, places, lane)

    def _send(self, name: str, places: list[TaskPlace], lane: _Lane) -> None:
        """In another thread: run sbatch."""
        result: str | SlurmError | None = None
        try:
            result = self._sbatch(name, places)
        except SlurmError as error:
            result = error
        except OSError as error:  # the folder or the disk: it is looked at again
            log.warning("%s cannot be submitted yet: %s", name, error)
        except Exception as error:
            log.exception("%s cannot be submitted", name)
            result = SlurmRejectedError(f"{type(error).__name__}: {error}")
        self._results.put(partial(self._guard, name, partial(self._sent, name, places, lane, result)))
        self._wake.set()

    def _sbatch(self, name: str, places: list[TaskPlace]) -> str | None:
        """Slurm's id of the job; None if the attempt is not wanted any more."""
        spec = records.read_spec(places[0])
        if spec is None or have_ended(places):
            return None
        job = spec.job
        flavor = self._flavors.get(job.resources.flavor_id, SlurmFlavor())
        command = commands.sbatch_command(name, job, flavor, places[0].controller_log)
        script = commands.batch_script(job, self._jobs, sys.executable, flavor.prolog)
        return commands.run(*command, text=script, variables=controller_environment()).strip().partition(";")[0]

    def _sent(self, name: str, places: list[TaskPlace], lane: _Lane, result: str | SlurmError | None) -> None:
        """Record the result of a submission."""
        self._sending -= 1
        now = time.monotonic()
        if isinstance(result, SlurmDelayError):
            self._delay(name, places, lane, str(result))
            return
        lane.is_delayed, lane.due_at, lane.pause_s = False, 0.0, FIRST_PAUSE_S
        submission = self._submissions.setdefault(name, _Submission())
        submission.is_queued, submission.sent_at = False, now
        if isinstance(result, str):
            submission.slurm_id = result
            self._reported = ""
            self._recent.append((now + RECENT_S, places[0].job_id))
            self._add_event(places, f"The job is job {result} of Slurm.", is_repeated=False)
        elif isinstance(result, SlurmUnavailableError):
            self._fail(result, {name: places})
        elif result is not None:
            self._reject(name, places, f"Slurm does not take the job: {result}")

    def _delay(self, name: str, places: list[TaskPlace], lane: _Lane, reason: str) -> None:
        """Slurm does not take the job now: the flavor's next attempt is tried later, and this one after the others."""
        lane.names.append(name)
        lane.due_at = time.monotonic() + lane.pause_s
        lane.is_delayed, lane.pause_s = True, min(2 * lane.pause_s, LONGEST_PAUSE_S)
        self._add_event(places, f"The job waits, because {reason}.")
        with self._lock:
            self._changed.add(places[0].job_id)

    def _fail(self, error: SlurmError, attempts: Mapping[str, list[TaskPlace]]) -> None:
        """Slurm does not respond: nothing is submitted until the queue was read again, and events say so."""
        is_new, self._error = self._error is None, error
        if str(error) != self._reported:
            log.error("Slurm does not respond; jobs wait, and it will be asked again: %s", error)
            self._reported = str(error)
        for name, places in attempts.items() if is_new else ():
            shown = self._submissions.get(name, _Submission()).shown
            if shown is None or shown.stage == "waiting":
                self._add_event(places, _unavailable(error), "Warning")
                with self._lock:
                    self._changed.add(places[0].job_id)

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
        with self._lock, suppress(OSError):  # the job was removed, or the disk is full
            own = [event.message for event in records.read_events(first) if event.source == "K8S"]
            if message not in (own[-1:] if is_repeated else own) and len(own) < MAX_EVENTS:
                records.add_event(first, TaskEvent(time.time(), message, "K8S", level))

    def _guard(self, name: str, action: Callable[[], None]) -> None:
        """Run the action for an attempt. An error stops no other attempt; the next reading tries again."""
        try:
            action()
        except OSError as error:
            log.warning("%s: its records cannot be used now: %s", name, error)
        except Exception:
            log.exception("%s cannot be looked at now", name)


def _differ(before: QueuedJob | None, after: QueuedJob) -> bool:
    """Whether something happened to the job; its priority changes by itself."""
    return before is None or before._replace(priority="") != after._replace(priority="")


def _unavailable(error: SlurmError) -> str:
    return f"The job waits, because Slurm does not respond: {error}."

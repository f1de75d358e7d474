"""Runs jobs on a Slurm cluster: an allocation for each attempt of a job, and on each of its nodes a controller.

What is true of a task is read from its records, which its controller writes as on one machine, and of what waits or was
interrupted, from Slurm's queue. Attempts are found there by name, so that a new executor on the same folder knows as
much as the one before it. All nodes share the folder.
"""

from __future__ import annotations

import logging
import sys
import time
from collections import deque
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from modelarts_emulator.execution.local import records
from modelarts_emulator.execution.local.json_files import write_once
from modelarts_emulator.execution.local.recorded_executor import (
    ControllerSettings,
    RecordedExecutor,
    controller_environment,
)
from modelarts_emulator.execution.local.records import TaskPlace
from modelarts_emulator.execution.protocol import (
    KILLED,
    FailureKind,
    JobSpec,
    TaskEvent,
    TaskReport,
    for_each,
    spec_from_json,
)
from modelarts_emulator.execution.slurm import commands, places, request
from modelarts_emulator.execution.slurm.attempt_ends import (
    UNKNOWN,
    SlurmEnd,
    ask_for_end,
    conclude,
    described,
    fail,
    have_ended,
    is_to_be_asked,
    is_undecided,
)
from modelarts_emulator.execution.slurm.cancellations import Cancellations
from modelarts_emulator.execution.slurm.clocks import NodeClocks, corrected
from modelarts_emulator.execution.slurm.commands import SlurmError, SlurmUnavailableError
from modelarts_emulator.execution.slurm.flavors import SlurmFlavor
from modelarts_emulator.execution.slurm.queue import Attempt, QueuedJob, QueueReader
from modelarts_emulator.execution.slurm.reasons import describe_wait
from modelarts_emulator.execution.slurm.removals import Removals
from modelarts_emulator.execution.slurm.submission import Submission
from modelarts_emulator.execution.slurm.submitter import Submitter

__all__ = ["SlurmExecutor"]

log = logging.getLogger(__name__)

RECORD_TIMEOUT_S = 3.0
"""How long the records of an attempt that has ended at Slurm may take to be seen here: the folder may be remote."""
RECENT_S, RECENT_JOBS = 5.0, 200
"""Jobs that were submitted recently start soon: their records are looked at although the queue says that they wait."""
MAX_EVENTS = 50
"""Events of an attempt after which reasons for waiting are no longer added to them."""
_LOOK_INTERVAL_S, _LOOK_INTERVAL_PER_JOB_S = 0.1, 0.002


class SlurmExecutor(RecordedExecutor):
    """The executor of a cluster: jobs below `jobs_dir`, which all nodes see under this path; data by the store's URL.

    `flavors` are what flavors are at Slurm; a flavor that is not named is what its resources say.
    Slurm is asked in threads: no method but `close` waits for it. There is one such executor at a time on a folder.
    """

    owns_queue = True

    def __init__(
        self,
        jobs_dir: Path,
        settings: ControllerSettings,
        flavors: Mapping[str, SlurmFlavor],
        interpreter: Callable[[Mapping[str, str] | None], str] = lambda _: sys.executable,
        queue: QueueReader | None = None,
    ) -> None:
        commands.check_installed()
        super().__init__(jobs_dir, settings, interpreter)
        self._jobs.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._flavors = flavors
        self._submissions: dict[Attempt, Submission] = {}
        self._unsettled: set[str] = set()
        self._recent: deque[tuple[str, float]] = deque(maxlen=RECENT_JOBS)
        self._clocks = NodeClocks()
        self._look_due = 0.0
        self._queue = queue or QueueReader()
        self._submitter = Submitter(self, self._queue)
        self._cancellations = Cancellations()
        self._removals = Removals(self._jobs, self._queue)
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="slurm-cancel")
        self._questions = ThreadPoolExecutor(max_workers=1, thread_name_prefix="slurm-ends")

    @property
    def status_calls(self) -> int:
        """How often Slurm was asked for its queue."""
        return self._queue.calls

    # The protocol

    def submit(self, spec: JobSpec) -> str:
        """Write the attempt down and give it to Slurm, unless that was done.

        Raises ValueError for an id that cannot be a folder's name, and for an attempt whose predecessor has not ended.
        """
        with self._lock:
            before = self._tasks(spec.job_id)
            found = self._begin_attempt(spec)
            # What was written down before, perhaps by an executor that was killed, Slurm may have got already.
            may_be_there = bool(before) and before[0].attempt >= spec.attempt
            if not (have_ended(found) and not is_undecided(found)):
                self._track(found, may_be_there=may_be_there)
        return spec.job_id

    def advance(self, handles: Collection[str]) -> Mapping[str, Exception]:
        """Take over what Slurm says of these jobs, and give it those that it does not have."""
        self._queue.ask()
        return for_each(handles, self._advance)

    def changed_jobs(self) -> Collection[str]:
        """The jobs that changed at Slurm, those that may have begun, and those that run, if it is time to look."""
        self._queue.ask()
        if self._cancellations.is_due:
            self._pool.submit(self._cancellations.send)
        now = time.monotonic()
        while self._recent and self._recent[0][1] < now:
            self._recent.popleft()
        found = self._queue.take_news() | self._unsettled.copy() | {job_id for job_id, _ in list(self._recent)}
        if now >= self._look_due:
            running = self._queue.running
            found |= running
            self._look_due = now + max(_LOOK_INTERVAL_S, _LOOK_INTERVAL_PER_JOB_S * len(running))
        return found

    def cancel(self, handle: str) -> None:
        """Ask every task to end; an attempt that Slurm does not have ends at once."""
        with self._lock:
            found = self._tasks(handle)
            if not found:
                return
            found[0].stop.touch()
            if not have_ended(found):
                self._advance_attempt(found)
                self._wake(found)

    def delete(self, handles: Collection[str]) -> Mapping[str, Exception]:
        """Delete the jobs' files, and let their processes be killed."""
        with self._lock:
            return for_each(handles, self._remove)

    def inject_fault(self, handle: str, task: str, kind: FailureKind) -> bool:
        """Cause this failure of the task; False if it has ended."""
        place = self._task(handle, task)
        with self._lock:
            if place.exit.exists():
                return False
            records.write(place.failure, {"kind": kind})
            if kind == "node_lost":
                start = records.read_start(place)
                message = f"the node of {place.task} was lost"
                began = start.started_at if start else None
                records.write_exit(place, records.Exit(began, time.time(), KILLED, message, kind))
            self._wake(self._tasks(handle))
        return True

    def forget(self) -> None:
        """Find tasks, and what Slurm has of them, anew."""
        super().forget()
        with self._lock:
            self._submissions.clear()
            self._unsettled.clear()
            self._clocks.clear()
            self._submitter.clear()
        self._removals.load()

    def close(self) -> None:
        """End the threads; jobs at Slurm continue."""
        self._submitter.close()
        self._removals.close()
        self._questions.shutdown(cancel_futures=True)
        self._pool.shutdown()
        self._queue.close()
        super().close()

    # What the submitter calls, in its threads

    def send(self, attempt: Attempt) -> str | None:
        """Run sbatch for the attempt; returns Slurm's id of the job, or None if it is not to be submitted any more."""
        with self._lock:
            found = self._current(attempt)
            if not found:
                return None
            is_stopped, spec = found[0].stop.exists(), records.read_spec(found[0])
            if spec is None and not is_stopped:
                fail(found, "the job's specification was altered or damaged: submit the job again")
            if spec is None or is_stopped:
                self._unsettled.add(attempt[0])  # it ends without having been at Slurm
                return None
        job = spec_from_json(spec["job"])
        command = request.sbatch_command(job, self._flavors.get(job.resources.flavor_id, SlurmFlavor()))
        script = request.batch_script(job, self._jobs, found[0].controller_log, sys.executable)
        printed = commands.run(*command, text=script, variables=controller_environment())
        return printed.strip().partition(";")[0]

    def sent(self, attempt: Attempt, slurm_id: str) -> None:
        """The attempt is at Slurm under this id."""
        with self._lock:
            if not (found := self._current(attempt)):
                return
            write_once(places.submission(found[0]), {"job": slurm_id})
            submission = self._track(found, may_be_there=True)
            submission.slurm_id, submission.sent_at = slurm_id, time.monotonic()
            self._recent.append((attempt[0], time.monotonic() + RECENT_S))
            self._note(found, f"The job is job {slurm_id} of Slurm.")
            if found[0].stop.exists():
                self._wake(found)

    def rejected(self, attempt: Attempt, error: SlurmError) -> None:
        """Slurm does not take the attempt."""
        with self._lock:
            if found := self._current(attempt):
                fail(found, f"Slurm does not take the job: {error}")
                self._unsettled.add(attempt[0])

    def delayed(self, attempt: Attempt, error: SlurmError) -> None:
        """The attempt waits because Slurm does not respond."""
        with self._lock:
            if found := self._current(attempt):
                self._note(found, f"The job waits, because Slurm does not respond: {error}.", "Warning")
                self._unsettled.add(attempt[0])

    # Parts

    def _current(self, attempt: Attempt) -> list[TaskPlace]:
        """The tasks of the attempt if it is its job's newest; the caller holds the lock."""
        found = self._tasks(attempt[0])
        return found if found and found[0].attempt == attempt[1] else []

    def _track(self, found: list[TaskPlace], *, may_be_there: bool) -> Submission:
        """What is known of the attempt; if Slurm does not have it, it will get it."""
        attempt = found[0].job_id, found[0].attempt
        if (submission := self._submissions.get(attempt)) is None:
            slurm_id = places.read_record(places.submission(found[0])).get("job")
            submission = self._submissions[attempt] = Submission(
                len(found), slurm_id if isinstance(slurm_id, str) else None, time.monotonic()
            )
            if submission.slurm_id is None:
                self._submitter.add(attempt, may_be_there=may_be_there)
        return submission

    def _advance(self, job_id: str) -> None:
        with self._lock:
            if found := self._tasks(job_id):
                self._advance_attempt(found)

    def _advance_attempt(self, found: list[TaskPlace]) -> None:
        attempt = found[0].job_id, found[0].attempt
        if attempt not in self._submissions and have_ended(found) and not is_undecided(found):
            self._unsettled.discard(attempt[0])
            return
        submission = self._track(found, may_be_there=True)
        if have_ended(found) and not is_undecided(found):
            self._submissions.pop(attempt, None)
            self._unsettled.discard(attempt[0])
        elif submission.slurm_id is None:
            # A task that has begun, although it is not known that it was submitted, ends as its records say.
            if found[0].stop.exists() and not any(place.claim.exists() for place in found):
                self._conclude_unsubmitted(found)
        else:
            self._follow(found, submission, self._queue.find(attempt))

    def _follow(self, found: list[TaskPlace], submission: Submission, job: QueuedJob | None) -> None:
        """Take over what the queue says of an attempt that Slurm has."""
        if self._queue.error is not None:
            if job is None or job.stage == "waiting":
                self._note(found, f"The job waits, because Slurm does not respond: {self._queue.error}.", "Warning")
        elif job is None:
            if self._queue.read_at > submission.sent_at:
                self._conclude(found, submission, UNKNOWN, "")
        elif job.stage == "ended":
            self._conclude(found, submission, job.state, job.nodes)
        elif job.stage == "running":
            self._unsettled.discard(found[0].job_id)
            if not submission.is_clock_checked:
                submission.is_clock_checked = self._clocks.check(found, job.start_s)
        elif any(place.claim.exists() for place in found):
            self._follow_requeued(found, submission, job)
        elif job.reason not in ("None", submission.reason) and len(self._read_events(found[0])) < MAX_EVENTS:
            submission.reason = job.reason
            waits = f"The job waits at Slurm (partition {job.partition}, priority {job.priority})"
            self._note(found, f"{waits}: {describe_wait(job.reason)}.")

    def _follow_requeued(self, found: list[TaskPlace], submission: Submission, job: QueuedJob) -> None:
        """The attempt began, and waits at Slurm: it was requeued, unless it began after the queue was read.

        Slurm would run it again from the beginning. That is a restart, which the emulator decides on.
        """
        if submission.begun_at is None:
            submission.begun_at = time.monotonic()
            self._unsettled.add(found[0].job_id)
        if self._queue.read_at > submission.begun_at:
            write_once(places.end(found[0]), {"state": "PREEMPTED"})
            self._cancellations.add(job.slurm_id, has_batch_controller=True, is_stopped=True)
            self._pool.submit(self._cancellations.send)
            self._conclude(found, submission, "PREEMPTED", "")

    def _conclude_unsubmitted(self, found: list[TaskPlace]) -> None:
        """End an attempt of which it is not known that Slurm has it, unless it is being submitted now."""
        attempt = found[0].job_id, found[0].attempt
        withdrawal = self._submitter.withdraw(attempt)
        if withdrawal == "possibly submitted":
            self._removals.add(attempt, None)
        if withdrawal != "being submitted":
            conclude(found, SlurmEnd("CANCELLED"))

    def _conclude(self, found: list[TaskPlace], submission: Submission, state: str, nodes: str) -> None:
        """Write down how an attempt ended whose tasks did not, once they have had the time to do it themselves."""
        now = time.monotonic()
        if submission.ended_at is None:
            submission.ended_at = now
            self._unsettled.add(found[0].job_id)
        is_over = found[0].stop.exists() and not any(place.claim.exists() for place in found)
        if not (is_over or now - submission.ended_at >= RECORD_TIMEOUT_S or have_ended(found)):
            return
        slurm_id = submission.slurm_id or ""
        if not is_to_be_asked(found, state):
            conclude(found, SlurmEnd(state), slurm_id)
        elif not submission.is_end_asked:
            submission.is_end_asked = True
            self._questions.submit(self._ask_for_end, found, submission, state, nodes, slurm_id)

    def _ask_for_end(
        self, found: list[TaskPlace], submission: Submission, state: str, nodes: str, slurm_id: str
    ) -> None:
        """In a thread: ask Slurm how the attempt ended, and write that down; the next `advance` repeats what fails."""
        try:
            end = ask_for_end(state, nodes, slurm_id)
            with self._lock:
                if self._current((found[0].job_id, found[0].attempt)):
                    conclude(found, end, slurm_id)
        except (SlurmUnavailableError, OSError) as error:
            log.warning("job %s: how it ended is not known yet: %s", found[0].job_id, error)
        finally:
            submission.is_end_asked = False

    def _note(self, found: list[TaskPlace], text: str, level: str = "Info") -> None:
        """Add the event to those of the first task, unless it is the last one there."""
        first = found[0]
        events = self._read_events(first)
        message = f"[{first.task}] {text}"
        own = [event.message for event in events if event.source == "K8S"]
        if not own or own[-1] != message:
            records.add_event(
                first, TaskEvent(time.time(), message, "K8S", "Warning" if level == "Warning" else "Info")
            )

    def _wake(self, found: list[TaskPlace]) -> None:
        """Let the controllers look at their records; a job that waits is cancelled if it is to be stopped."""
        submission = self._submissions.get((found[0].job_id, found[0].attempt))
        if submission is not None and submission.slurm_id is not None:
            is_stopped = found[0].stop.exists()
            is_batch = submission.node_count == 1
            self._cancellations.add(submission.slurm_id, has_batch_controller=is_batch, is_stopped=is_stopped)
            self._pool.submit(self._cancellations.send)

    def _remove(self, job_id: str) -> None:
        """Delete the job's files; its processes end as soon as Slurm responds."""
        found = self._tasks(job_id)
        if found and not have_ended(found):
            attempt = job_id, found[0].attempt
            slurm_id = self._track(found, may_be_there=True).slurm_id
            withdrawal = self._submitter.withdraw(attempt)
            self._submissions.pop(attempt, None)  # if what follows fails, it is still known that Slurm may have it
            if withdrawal != "not submitted" or slurm_id is not None:
                self._removals.add(attempt, slurm_id)
        for place in found:
            self._clocks.discard(place)
            self._submissions.pop((job_id, place.attempt), None)
        self._unsettled.discard(job_id)
        self._discard_records(job_id)

    def _report(self, place: TaskPlace) -> TaskReport:
        report = super()._report(place)
        if report.state == "preparing" and not place.claim.exists():
            return replace(report, state="queued")
        return corrected(described(report, place), self._clocks.error_s(place))

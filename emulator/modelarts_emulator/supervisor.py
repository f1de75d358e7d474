"""The supervisor: the only writer of phases. It starts queued jobs, watches running ones, clears away removed ones.

It lives in the server's event loop as one task; whatever may take time (processes, files) it does in a thread.
All that one step changes is one transaction, which is committed before the executor is asked for anything: a crash
may leave a mark without processes, never processes without a mark. What it remembers of the tables is only to be quick:
after a restart it goes on from them and from what the executor reports, and nothing else is needed.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from sqlalchemy import Connection, delete, select

from modelarts_emulator import events, jobs, progress
from modelarts_emulator.events import Event
from modelarts_emulator.executors import Executor, TaskReport
from modelarts_emulator.jobs import Job
from modelarts_emulator.logs import Archive
from modelarts_emulator.phases import STOPPABLE, is_terminal
from modelarts_emulator.queue import Queue
from modelarts_emulator.restarts import restarts_hung_tasks
from modelarts_emulator.tables import removals
from modelarts_emulator.watch import Sight, Watch

__all__ = ["Supervisor"]

log = logging.getLogger(__name__)

INTERVAL = 0.1  # seconds between two looks at running jobs
GATHERING = 0.01  # seconds in which what is new comes together, to be dealt with in one step
TROUBLE = 1  # seconds between two looks after one that failed


@dataclass(slots=True)
class Step:
    """What one step changes: jobs, events, and those of the jobs that came into the queue."""

    now: int
    changed: dict[str, Job] = field(default_factory=dict)
    told: list[Event] = field(default_factory=list)
    queued: dict[str, Job] = field(default_factory=dict)
    starts: dict[str, Job] = field(default_factory=dict)
    trouble: Exception | None = None


class Supervisor:
    """Moves every job through its phases; `clock` is in seconds since 1970.

    Its connections are those of the handlers, which run in the same thread.
    `most` jobs run at once, on as many nodes of each flavor as `nodes` says; a flavor that it does not name has enough.
    """

    def __init__(
        self,
        reader: Connection,
        writer: Connection,
        executor: Executor,
        archive: Archive,
        clock: Callable[[], float],
        most: int,
        environments: Mapping[str, str],
        nodes: Mapping[str, int] | None = None,
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._clock = clock
        self._room = (dict(nodes or {}), most)
        self._watch = Watch(executor, archive, environments)
        self._wake = asyncio.Event()
        # Of whoever deals with processes and files: a job must not be started while a reset clears it away.
        self._turn = asyncio.Lock()
        self._is_finished = False
        self._is_draining = False
        self._looked = -INTERVAL
        self._forget()

    def submitted(self, job: Job) -> None:
        """The job was stored, and is to be run."""
        self._news[job.id] = job
        self._wake.set()

    def changed(self, job_id: str) -> None:
        """The stored job was stopped or removed."""
        self._news[job_id] = None
        self._is_untidy = True
        self._wake.set()

    def wake(self) -> None:
        """Look at all tables anew: any job may have been stored, changed or removed."""
        self._forget()
        self._wake.set()

    def terminate(self, connection: Connection, job: Job) -> None:
        """Begin to stop a job, in the caller's transaction; the caller then tells by `changed`.

        Raises ValueError if the job's phase does not allow it.
        """
        events.add(connection, progress.stop(job, self._now()))
        jobs.save(connection, [job])

    def finish(self) -> None:
        """Let `run` return after what it is doing now."""
        self._is_finished = True
        self._wake.set()

    async def run(self) -> None:
        """Work until told to finish."""
        while not self._is_finished:
            self._wake.clear()
            if not await self._try(time.monotonic() >= self._looked + INTERVAL):
                continue
            is_idle = not (self._launched or self._deadlines)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), None if is_idle else INTERVAL)
            await asyncio.sleep(GATHERING)

    async def settle(self) -> None:
        """Work until nothing changes by itself at the present moment."""
        while await self.step():
            pass

    def next_deadline(self) -> float | None:
        """The next moment, in seconds, at which a job changes although no task reports anything; None if none will."""
        return min(self._deadlines.values()) / 1000 if self._deadlines else None

    async def _try(self, everywhere: bool = True) -> bool:
        """One step; False, after a while, if there was trouble."""
        try:
            await self.step(everywhere)
        except Exception:
            log.exception("the supervisor could not do its work and will try again")
            await asyncio.sleep(TROUBLE)
            return False
        return True

    async def step(self, everywhere: bool = True) -> bool:
        """Do what there is to do now; whether that changed anything.

        Unless it is to look `everywhere`, of the jobs that have processes it only looks at those that handlers changed.
        Trouble with one job does not keep the others waiting; the last of it is raised at the end.
        """
        async with self._turn:
            trouble = await self._clear_away()
            news = self._learn()
            launched = [job for job_id, job in self._launched.items() if everywhere or job_id in news]
            if everywhere:
                self._looked = time.monotonic()
            sight = Sight()
            if launched:
                ending = [job for job in launched if _is_to_end(job)]
                sight = await asyncio.to_thread(self._watch.look, launched, ending)
                self._learn()
            step = Step(self._now())
            self._decide(step, sight.reports)
            self._store(step)
            if step.starts:
                await self._start(list(step.starts.values()))
        if (trouble := step.trouble or sight.trouble or trouble) is not None:
            raise trouble
        return bool(step.changed)

    async def clear_away(self) -> None:
        """End the processes of all removed jobs and free their files; raises the last of what goes wrong."""
        async with self._turn:
            self._is_untidy = True
            trouble = await self._clear_away()
        if trouble is not None:
            raise trouble

    async def drain(self) -> None:
        """Stop all jobs that have processes and wait until they have ended; queued jobs stay queued."""
        self._is_draining = True
        async with self._turn:
            self._learn()
            step = Step(self._now())
            for job in list(self._launched.values()):
                if job.phase in STOPPABLE:
                    self._change(step, job.id, progress.stop)
            self._store(step)
        while self._launched:
            await self._try()
            await asyncio.sleep(INTERVAL)

    # What is remembered

    def _forget(self) -> None:
        """Know nothing, until the tables are read."""
        self._is_loaded = False
        self._is_untidy = True
        self._news: dict[str, Job | None] = {}
        self._jobs: dict[str, Job] = {}
        self._arrivals: dict[str, Job] = {}
        self._launched: dict[str, Job] = {}
        self._deadlines: dict[str, int] = {}
        self._queue = Queue(*self._room)

    def _learn(self) -> Collection[str]:
        """Take over what handlers have stored since the last time; the ids of the jobs that they told of."""
        news, self._news = self._news, {}
        if self._is_loaded and not news:
            return news
        if self._is_loaded:
            found = [job for job in news.values() if job is not None]
            unread = [job_id for job_id, job in news.items() if job is None]
            found += jobs.some(self._reader, unread) if unread else []
        else:
            found, unread = jobs.unfinished(self._reader), []
        self._is_loaded = True
        for job_id in unread:
            self._drop(job_id)
        for job in found:
            self._know(job)
            self._watch.changed(job.id)
        return news

    def _know(self, job: Job) -> None:
        """This is what the tables hold of the job, or will after this step."""
        self._drop(job.id)
        if is_terminal(job.phase):
            self._queue.leave(job.id)
            self._watch.ended(job.id, job.node_count, job.attempt)
            return
        self._jobs[job.id] = job
        if (moment := progress.deadline(job)) is not None:
            self._deadlines[job.id] = moment
        if job.launched:
            self._launched[job.id] = job
            self._queue.place(job)
        elif job.phase == "Pending":
            self._queue.wait(job)
        else:
            self._arrivals[job.id] = job
            self._queue.leave(job.id)

    def _drop(self, job_id: str) -> None:
        """Do not look at the job any more; its room it keeps until its processes have been dealt with."""
        for known in (self._jobs, self._arrivals, self._launched, self._deadlines):
            known.pop(job_id, None)

    # What a step does

    def _decide(self, step: Step, reports: Mapping[str, list[TaskReport]]) -> None:
        for job in list(self._arrivals.values()):
            self._change(step, job.id, progress.arrive if job.phase == "Creating" else progress.vanish)
        for job_id, found in reports.items():
            if job_id in self._launched:
                self._heed(step, self._launched[job_id], found)
        for job_id in [job_id for job_id, moment in self._deadlines.items() if moment <= step.now]:
            self._change(step, job_id, progress.expire)
        for job in [] if self._is_draining else self._queue.admit():
            self._change(step, job.id, _launch)
            step.starts[job.id] = self._jobs[job.id]
            step.queued.pop(job.id, None)
        for job in step.queued.values():
            text = f"The job is waiting for resources: {self._queue.obstacle(job)}."
            step.told.append(Event(job.id, step.now, text))

    def _heed(self, step: Step, job: Job, reports: list[TaskReport]) -> None:
        """Take over what the job's tasks report; start it once more if the emulator died before it could."""
        is_known = bool(reports)
        if is_known and all(report.attempt >= job.attempt for report in reports):
            attempt = job.attempt
            self._change(step, job.id, partial(progress.follow, reports=reports))
            job = self._launched.get(job.id, job)
            if job.attempt > attempt and job.launched:
                step.starts[job.id] = job
            elif step.trouble is None:
                self._watch.heeded(job.id, reports)
        elif job.phase == "Pending" or (is_known and job.phase == "Running"):
            step.starts[job.id] = job
        else:
            self._change(step, job.id, progress.vanish)

    def _change(self, step: Step, job_id: str, change: Callable[[Job, int], list[Event]]) -> None:
        """Change the job as it is now, if it is still there."""
        job = self._jobs.get(job_id)
        if job is None:
            return
        after = replace(job)
        try:
            told = change(after, step.now)
        except Exception as error:
            log.error("job %s: %s", job_id, error)
            step.trouble = error
            return
        step.told += told
        if after == job:
            return
        step.changed[job_id] = after
        self._know(after)
        if after.phase == "Pending" and not after.launched and (job.phase, job.attempt) != ("Pending", after.attempt):
            step.queued[job_id] = after

    def _store(self, step: Step) -> None:
        """Commit what was decided; if that fails, the tables are right and memory is not."""
        if not step.changed and not step.told:
            return
        try:
            with self._writer.begin():
                jobs.save(self._writer, list(step.changed.values()))
                events.add(self._writer, step.told)
        except Exception:
            self._forget()
            raise

    async def _start(self, starts: Sequence[Job]) -> None:
        failures = await asyncio.to_thread(self._watch.start, starts)
        self._learn()
        step = Step(self._now())
        for job_id, error in failures.items():
            self._change(step, job_id, partial(progress.fail_to_start, error=error))
        self._store(step)

    async def _clear_away(self) -> Exception | None:
        if not self._is_untidy:
            return None
        self._is_untidy = False
        gone = self._reader.execute(select(removals)).all()
        if not gone:
            return None
        for row in gone:
            self._drop(row.job_id)
        done, trouble = await asyncio.to_thread(self._watch.remove, gone)
        for row in gone:
            self._queue.leave(row.job_id)
            self._watch.changed(row.job_id)
        with self._writer.begin():
            self._writer.execute(delete(removals).where(removals.c.job_id.in_(done)))
        self._is_untidy = self._is_untidy or trouble is not None
        return trouble

    def _now(self) -> int:
        # Rounded, so that a deadline in seconds is reached by a clock that was moved to it.
        return round(self._clock() * 1000)


def _launch(job: Job, _now: int) -> list[Event]:
    job.launched = True
    return []


def _is_to_end(job: Job) -> bool:
    return job.phase == "Terminating" or (bool(job.hung_task) and restarts_hung_tasks(job))

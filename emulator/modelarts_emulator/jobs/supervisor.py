"""The supervisor: the only writer of phases. It starts queued jobs, watches running ones, clears away removed ones.

It lives in the server's event loop as one task; whatever may take time (processes, files) it does in a thread.
All that one step changes is one transaction, which is committed before the executor is asked for anything: a crash
may leave a mark without processes, never processes without a mark. What it remembers of the tables is only to be quick:
after a restart it goes on from them and from what the executor reports, and nothing else is needed.
Whatever fails for one job is logged with its id and retried for this job alone; see `watch` and `retries`.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from sqlalchemy import Connection, bindparam, delete, select
from sqlalchemy.exc import OperationalError

from modelarts_emulator.database.access import Database
from modelarts_emulator.execution.protocol import Executor, TaskReport
from modelarts_emulator.jobs import events, lifecycle, runs
from modelarts_emulator.jobs.events import Event
from modelarts_emulator.jobs.log_archive import Archive
from modelarts_emulator.jobs.phases import STOPPABLE, is_terminal
from modelarts_emulator.jobs.poller import Sight, Watch
from modelarts_emulator.jobs.reports import clean_text
from modelarts_emulator.jobs.restart_policy import restarts_hung_tasks
from modelarts_emulator.jobs.runs import Run
from modelarts_emulator.jobs.schedule import Schedule
from modelarts_emulator.jobs.scheduler import Queue
from modelarts_emulator.jobs.steps import Step
from modelarts_emulator.jobs.tables import removals

__all__ = ["Supervisor"]

log = logging.getLogger(__name__)

INTERVAL = 0.1  # seconds between two looks at running jobs
GATHERING = 0.01  # seconds in which what is new comes together, to be dealt with in one step
TROUBLE = 1  # seconds between two steps after one that failed as a whole

REMOVED = delete(removals).where(removals.c.run_id == bindparam("gone_id"))


class Supervisor:
    """Moves every job through its phases; `clock` is in seconds since 1970, `timer` tells the time between retries.

    `most` jobs run at once, on as many nodes of each flavor as `nodes` says; a flavor that it does not name has enough.
    """

    def __init__(
        self,
        database: Database,
        executor: Executor,
        archive: Archive,
        clock: Callable[[], float],
        most: int,
        environments: Callable[[str], Mapping[str, str]],
        nodes: Mapping[str, int] | None = None,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self._database = database
        self._clock = clock
        self._room = (dict(nodes or {}), most)
        self._watch = Watch(executor, archive, environments, timer)
        self._wake = asyncio.Event()
        # Of whoever deals with processes and files: a job must not be started while a reset clears it away.
        self._turn = asyncio.Lock()
        self._is_finished = False
        self._is_draining = False
        self._is_database_lost = False
        self._looked = -INTERVAL
        self._forget()

    def submitted(self, job: Run) -> None:
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

    def terminate(self, connection: Connection, job: Run) -> None:
        """Begin to stop a job, in the caller's transaction; the caller then tells by `changed`.

        Raises ValueError if the job's phase does not allow it.
        """
        events.add(connection, lifecycle.stop(job, self._now()))
        runs.save(connection, [job])

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
            is_idle = not (self._launched or self._deadlines or self._is_untidy or self._watch.has_unpublished_logs)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), None if is_idle else INTERVAL)
            await asyncio.sleep(GATHERING)

    async def settle(self) -> None:
        """Work until nothing changes by itself at the present moment."""
        while await self.step():
            pass

    def next_deadline(self) -> float | None:
        """The next moment, in seconds, at which a job changes although no task reports anything; None if none will."""
        moment = self._deadlines.next()
        return None if moment is None else moment / 1000

    async def _try(self, everywhere: bool = True) -> bool:
        """One step; False, after a while, if there was trouble."""
        try:
            await self.step(everywhere)
        except OperationalError as error:
            if not self._is_database_lost:
                reason = " ".join(clean_text(error.orig).split())
                log.error("the database cannot be used; jobs run on, and it will be tried again: %s", reason)
            self._is_database_lost = True
            await asyncio.sleep(TROUBLE)
            return False
        except Exception:
            log.exception("the supervisor could not do its work and will try again")
            await asyncio.sleep(TROUBLE)
            return False
        if self._is_database_lost:
            log.warning("the database can be used again")
            self._is_database_lost = False
        return True

    async def step(self, everywhere: bool = True) -> bool:
        """Do what there is to do now; whether that changed anything.

        Unless it is to look `everywhere`, of the jobs that have processes it only looks at those that were changed.
        Raises what keeps all jobs from going on, such as a database that cannot be written.
        """
        async with self._turn:
            try:
                return await self._step(everywhere)
            except Exception:
                self._forget()  # what is remembered may not be what is stored
                raise

    async def _step(self, everywhere: bool) -> bool:
        await self._clear_away()
        self._learn()
        sight = Sight()
        launched = self._jobs_to_look_at(everywhere)
        if launched or self._watch.has_unpublished_logs:
            ending = [job for job in launched if _is_to_end(job)]
            sight = await asyncio.to_thread(self._watch.look, launched, ending)
            self._learn()
        step = Step(self._now())
        self._decide(step, sight)
        self._store(step)
        if step.given_up:
            await asyncio.to_thread(self._watch.stop, step.given_up)
        if step.starts:
            await self._start(list(step.starts.values()))
        return bool(step.changed)

    async def clear_away(self, with_logs: bool = True) -> None:
        """End the processes of all removed jobs and free their files; raises the last of what goes wrong."""
        async with self._turn:
            self._is_untidy = True
            error = await self._clear_away(at_once=True, with_logs=with_logs)
        if error is not None:
            raise error

    async def drain(self) -> None:
        """Stop all jobs that have processes and wait until they have ended; queued jobs stay queued."""
        self._is_draining = True
        try:
            async with self._turn:
                self._learn()
                step = Step(self._now())
                for job in list(self._launched.values()):
                    if job.phase in STOPPABLE:
                        self._change(step, job.id, lifecycle.stop)
                self._store(step)
        except OperationalError as error:
            log.error("jobs are not stopped, because the database cannot be used: %s", clean_text(error.orig))
            return
        while self._launched:
            await self._try()
            await asyncio.sleep(INTERVAL)

    # What is remembered

    def _forget(self) -> None:
        """Know nothing, until the tables are read."""
        self._is_loaded = False
        self._is_untidy = True
        self._news: dict[str, Run | None] = {}
        self._jobs: dict[str, Run] = {}
        self._arrivals: dict[str, Run] = {}
        self._launched: dict[str, Run] = {}
        self._unseen: set[str] = set()
        self._deadlines = Schedule()
        self._queue = Queue(*self._room)

    def _learn(self) -> None:
        """Take over what handlers have stored since the last time."""
        news, self._news = self._news, {}
        if self._is_loaded and not news:
            return
        if self._is_loaded:
            found = [job for job in news.values() if job is not None]
            unread = [job_id for job_id, job in news.items() if job is None]
            with self._database.reading() as connection:
                found += runs.some(connection, unread) if unread else []
        else:
            with self._database.reading() as connection:
                found, unread = runs.unfinished(connection), []
        self._is_loaded = True
        known = {job.id for job in found}
        for job_id in unread:
            if job_id not in known:
                self._drop(job_id)
                self._queue.withdraw(job_id)
        for job in found:
            self._know(job)
            self._watch.changed(job.id)

    def _know(self, job: Run) -> None:
        """This is what the tables hold of the job, or will after this step."""
        moment = lifecycle.deadline(job)
        self._drop(job.id)
        if is_terminal(job.phase):
            self._queue.leave(job.id)
            self._watch.ended(job.id, job.attempt)
            return
        self._jobs[job.id] = job
        if moment is not None:
            self._deadlines.set(job.id, moment)
        if job.launched:
            self._launched[job.id] = job
            self._unseen.add(job.id)
            self._queue.place(job)
        elif job.phase == "Pending":
            self._queue.wait(job)
        else:
            self._arrivals[job.id] = job
            self._queue.leave(job.id)

    def _drop(self, job_id: str) -> None:
        """Do not look at the job any more; its room it keeps until its processes have been dealt with."""
        for known in (self._jobs, self._arrivals, self._launched):
            known.pop(job_id, None)
        self._deadlines.discard(job_id)
        self._unseen.discard(job_id)

    def _jobs_to_look_at(self, everywhere: bool) -> list[Run]:
        """The jobs with processes of which there may be news."""
        job_ids, self._unseen = self._unseen, set()
        if everywhere:
            self._looked = time.monotonic()
            changed = self._watch.changed_jobs()
            if changed is None:
                return list(self._launched.values())
            job_ids |= changed
        # In the order in which they were launched, so that the same happens in the same order every time.
        found = [self._launched[job_id] for job_id in job_ids if job_id in self._launched]
        return sorted(found, key=lambda job: (job.create_time, job.id))

    # What a step does

    def _decide(self, step: Step, sight: Sight) -> None:
        for job in list(self._arrivals.values()):
            self._change(step, job.id, lifecycle.arrive if job.phase == "Creating" else lifecycle.vanish)
        for job_id, found in sight.reports.items():
            if job_id in self._launched:
                self._heed(step, self._launched[job_id], found)
        for job_id, error in sight.given_up.items():
            self._change(step, job_id, partial(lifecycle.give_up, error=error))
        for job_id in self._deadlines.take(step.now):
            self._change(step, job_id, lifecycle.expire)
        for job in [] if self._is_draining else self._queue.admit():
            if self._change(step, job.id, _launch):
                step.starts[job.id] = self._jobs[job.id]
                step.queued.pop(job.id, None)
            else:
                self._queue.leave(job.id)
        for job in step.queued.values():
            text = f"The job is waiting for resources: {self._queue.obstacle(job)}."
            step.told.append(Event(job.id, step.now, text))

    def _heed(self, step: Step, job: Run, reports: list[TaskReport]) -> None:
        """Take over what the job's tasks report; start it once more if the emulator died before it could."""
        is_known = bool(reports)
        if is_known and all(report.attempt >= job.attempt for report in reports):
            attempt = job.attempt
            if self._change(step, job.id, partial(lifecycle.follow, reports=reports)):
                self._watch.heeded(job.id)
            job = self._launched.get(job.id, job)
            if job.attempt > attempt and job.launched:
                step.starts[job.id] = job
        elif job.phase == "Pending" or (is_known and job.phase == "Running"):
            step.starts[job.id] = job
        else:
            self._change(step, job.id, lifecycle.vanish)

    def _change(self, step: Step, job_id: str, change: Callable[[Run, int], list[Event]]) -> bool:
        """Change the job as it is now; False, and nothing is changed, if it is gone or that fails."""
        job = self._jobs.get(job_id)
        if job is None:
            return False
        after = replace(job)
        try:
            told = change(after, step.now)
            if after != job:
                self._know(after)
        except Exception as error:
            self._watch.rejected(job_id, error)
            return False
        step.told += told
        if after != job:
            step.changed[job_id] = after
        is_queued = after.phase == "Pending" and not after.launched
        if is_queued and (job.phase, job.attempt) != ("Pending", after.attempt):
            step.queued[job_id] = after
        return True

    def _store(self, step: Step) -> None:
        """Commit what was decided; if that fails, the tables are right and memory is not."""
        is_stored = False
        try:
            is_stored = step.store(self._database)
        finally:
            if not is_stored:
                self._forget()

    async def _start(self, starts: Sequence[Run]) -> None:
        failures = await asyncio.to_thread(self._watch.start, starts)
        self._learn()
        step = Step(self._now())
        for job_id, error in failures.items():
            self._change(step, job_id, partial(lifecycle.fail_to_start, error=error))
        self._store(step)

    async def _clear_away(self, at_once: bool = False, with_logs: bool = True) -> Exception | None:
        """End the processes of removed jobs and free their files and their room; the last of what goes wrong."""
        if not self._is_untidy:
            return None
        self._is_untidy = False
        with self._database.reading() as connection:
            gone = connection.execute(select(removals)).all()
        if not gone:
            return None
        for row in gone:
            self._drop(row.run_id)
        done, error = await asyncio.to_thread(self._watch.remove, gone, at_once, with_logs)
        for row in gone:
            self._queue.leave(row.run_id)
            self._watch.forget(row.run_id)
        if done:
            with self._database.writing() as connection:
                connection.execute(REMOVED, [{"gone_id": job_id} for job_id in done])
        self._is_untidy = self._is_untidy or len(done) < len(gone)
        return error

    def _now(self) -> int:
        # Rounded, so that a deadline in seconds is reached by a clock that was moved to it.
        return round(self._clock() * 1000)


def _launch(job: Run, _now: int) -> list[Event]:
    job.launched = True
    return []


def _is_to_end(job: Run) -> bool:
    return job.phase == "Terminating" or (bool(job.hung_task) and restarts_hung_tasks(job))

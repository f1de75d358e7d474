"""The supervisor: the only writer of phases. It starts queued jobs, watches running ones, clears away removed ones.

It lives in the server's event loop as one task; whatever may take time (processes, files) it does in a thread, one
thing at a time, and it reads a job again before it changes it, because a request may have changed it meanwhile.
After a restart it goes on from the tables and from what the executor reports; nothing else is needed.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Engine, delete, select

from modelarts_emulator import jobs
from modelarts_emulator.executors import Channel, Executor, JobSpec, TaskReport
from modelarts_emulator.jobs import Job
from modelarts_emulator.logs import Archive
from modelarts_emulator.phases import STOPPABLE, is_terminal, observe
from modelarts_emulator.tables import removals

__all__ = ["Supervisor", "specify"]

log = logging.getLogger(__name__)

INTERVAL = 0.1  # seconds between two looks at running jobs
TROUBLE = 1  # seconds between two looks after one that failed
MILLISECONDS_PER_HOUR = 3_600_000


class Supervisor:
    """Moves every job through its phases; `clock` is in seconds since 1970, `capacity` counts jobs with processes."""

    def __init__(
        self,
        engine: Engine,
        executor: Executor,
        archive: Archive,
        clock: Callable[[], float],
        capacity: int,
        environments: Mapping[str, str],
    ) -> None:
        self._engine = engine
        self._executor = executor
        self._archive = archive
        self._clock = clock
        self._capacity = capacity
        self._environments = environments
        self._wake = asyncio.Event()
        self._told_to_stop: set[str] = set()
        # Of whoever deals with processes and files: a job must not be started while a reset clears it away.
        self._turn = asyncio.Lock()
        self._is_finished = False

    def wake(self) -> None:
        """Look at the tables now: a job was submitted, stopped or removed."""
        self._wake.set()

    def terminate(self, job: Job) -> None:
        """Begin to stop a job, in the caller's transaction; raises ValueError if its phase does not allow it."""
        job.move("Terminating")
        self.wake()

    def finish(self) -> None:
        """Let `run` return after what it is doing now."""
        self._is_finished = True
        self._wake.set()

    async def run(self) -> None:
        """Work until told to finish."""
        while not self._is_finished:
            self._wake.clear()
            try:
                idle = await self.step()
            except Exception:
                log.exception("the supervisor could not do its work and will try again")
                await asyncio.sleep(TROUBLE)
                continue
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), None if idle else INTERVAL)

    async def step(self) -> bool:
        """Do what there is to do now; whether nothing is left that could change by itself.

        Trouble with one job does not keep the others waiting; the last of it is raised at the end.
        """
        async with self._turn:
            with self._engine.connect() as connection:
                active = jobs.active(connection, queued=self._capacity)
            trouble = await self._clear_away()
            busy = sum(job.launched for job in active)
            for job in active:
                try:
                    busy += await self._advance(job, busy < self._capacity)
                except Exception as error:
                    log.error("job %s: %s", job.id, error)
                    trouble = error
        if trouble is not None:
            raise trouble
        return not active

    async def clear_away(self) -> None:
        """End the processes of all removed jobs and free their files; raises the last of what goes wrong."""
        async with self._turn:
            trouble = await self._clear_away()
        if trouble is not None:
            raise trouble

    async def drain(self) -> None:
        """Stop all jobs that have processes and wait until they have ended; queued jobs stay queued."""
        with self._engine.begin() as connection:
            for job in jobs.active(connection, queued=0):
                if job.launched and job.phase in STOPPABLE:
                    job.move("Terminating")
                    jobs.save(connection, job)
        while True:
            with self._engine.connect() as connection:
                ending = [job for job in jobs.active(connection, queued=0) if job.launched]
            if not ending:
                return
            async with self._turn:
                for job in ending:
                    await self._watch(job)
            await asyncio.sleep(INTERVAL)

    async def _advance(self, job: Job, is_room: bool) -> bool:
        """Do for one job what there is to do; whether it was started."""
        if job.phase == "Creating":
            job = self._change(job.id, self._queue) or job
        if job.launched or job.phase == "Terminating":
            await self._watch(job)
        elif job.phase == "Pending" and is_room:
            return await self._launch(job)
        return False

    async def _launch(self, job: Job) -> bool:
        # First the mark, then the process: a crash in between leaves a mark without a process, which is started then.
        marked = self._change(job.id, _mark)
        if marked is None or not marked.launched:
            return False
        await self._start(job)
        return True

    async def _start(self, job: Job) -> None:
        try:
            await asyncio.to_thread(self._executor.start, specify(job, self._environments))
        except Exception as error:
            log.exception("job %s cannot be started", job.id)
            reason = f"the job cannot be started: {error}"
            self._change(job.id, lambda job: self._give_up(job, "CreateFailed", reason))

    async def _watch(self, job: Job) -> None:
        if job.phase == "Running" and self._is_overdue(job):
            job = self._change(job.id, lambda job: job.move("Terminating")) or job
        if job.phase == "Terminating" and job.id not in self._told_to_stop:
            self._told_to_stop.add(job.id)
            await asyncio.to_thread(self._executor.stop, job.id)
        reports = await asyncio.to_thread(self._look, job)
        if not reports and job.phase == "Pending":
            await self._start(job)
            return
        self._change(job.id, lambda job: self._apply(job, reports))

    async def _clear_away(self) -> Exception | None:
        trouble: Exception | None = None
        with self._engine.connect() as connection:
            gone = connection.execute(select(removals)).all()
        for row in gone:
            try:
                await asyncio.to_thread(self._executor.remove, row.job_id)
                await asyncio.to_thread(self._archive.remove, row.project_id, row.job_id)
            except Exception as error:
                log.error("removed job %s: %s", row.job_id, error)
                trouble = error
                continue
            self._told_to_stop.discard(row.job_id)
            with self._engine.begin() as connection:
                connection.execute(delete(removals).where(removals.c.job_id == row.job_id))
        return trouble

    def _change(self, job_id: str, change: Callable[[Job], None]) -> Job | None:
        """Change the job as it is now, and return it; None if it is gone or has ended meanwhile."""
        with self._engine.begin() as connection:
            job = jobs.get(connection, job_id)
            if job is None or is_terminal(job.phase):
                return None
            before = replace(job)
            change(job)
            if job != before:
                jobs.save(connection, job)
            if is_terminal(job.phase):
                self._told_to_stop.discard(job_id)
            return job

    def _queue(self, job: Job) -> None:
        if job.phase == "Creating":
            job.move("Pending")
            job.node_counts = [[self._now(), 0]]

    def _apply(self, job: Job, reports: Sequence[TaskReport]) -> None:
        """Take over what the tasks report, through as many phases as it takes."""
        if not reports:
            if job.phase == "Terminating":
                job.move("Terminated")
                job.end_time = self._now() if job.start_time else 0
            else:
                self._give_up(job, "Lost", "the executor does not know the job any more")
            return
        if not job.start_time:
            self._note_start(job, reports)
        while (phase := observe(job.phase, reports)) != job.phase:
            job.move(phase)
        if is_terminal(job.phase):
            self._note_end(job, reports)

    def _note_start(self, job: Job, reports: Sequence[TaskReport]) -> None:
        started = [report.started_at for report in reports if report.started_at is not None]
        if started:
            job.start_time = _milliseconds(min(started))
            job.node_counts = [*job.node_counts, [job.start_time, job.node_count]]
            job.running_records = [{"start_at": int(min(started)), "start_type": "init_or_rescheduled"}]

    def _note_end(self, job: Job, reports: Sequence[TaskReport]) -> None:
        ended = max((report.ended_at for report in reports if report.ended_at is not None), default=self._clock())
        job.task_statuses = [
            {"task": report.task, "exit_code": report.exit_code, "message": report.message or ""} for report in reports
        ]
        if not job.start_time:
            return
        job.end_time = max(_milliseconds(ended), job.start_time)
        job.node_counts = [*job.node_counts, [job.end_time, job.node_count], [job.end_time, 0]]
        record = job.running_records[0] | {"end_at": int(ended), "end_reason": "job completed"}
        if job.phase != "Completed":
            bad = [report for report in reports if report.exit_code] or list(reports)
            first = min(bad, key=lambda report: report.ended_at or ended)
            record |= {"end_reason": f"exit with {first.exit_code}", "end_related_task": first.task}
        job.running_records = [record]

    def _give_up(self, job: Job, secondary_phase: str, reason: str) -> None:
        job.move("Abnormal", secondary_phase)
        job.end_time = self._now() if job.start_time else 0
        job.task_statuses = [{"task": "worker-0", "exit_code": None, "message": reason}]

    def _look(self, job: Job) -> list[TaskReport]:
        """What the tasks report; their logs are objects from now on."""
        reports = self._executor.poll(job.id)
        for report in reports:
            path = self._executor.log_path(job.id, report.task)
            self._archive.publish(job.project_id, job.id, report.task, path, report.state == "ended")
        return reports

    def _is_overdue(self, job: Job) -> bool:
        # `auto_stop` (page "Creating a Training Job"): the longest running time, in hours.
        limit = job.document["spec"].get("auto_stop")
        return bool(limit) and self._now() - job.start_time >= limit["duration"] * MILLISECONDS_PER_HOUR

    def _now(self) -> int:
        return _milliseconds(self._clock())


def specify(job: Job, environments: Mapping[str, str]) -> JobSpec:
    """What the executor needs to know, taken from what the service says about the job."""
    document = job.document
    algorithm, spec = document["algorithm"], document["spec"]
    # Without effect in engines that are compatible with v1, says the page "Creating a Training Job".
    old = algorithm["engine"].get("v1_compatible", False)
    devices = spec["resource"]["flavor_detail"]["flavor_info"].get("gpu", {}).get("unit_num", 0)
    return JobSpec(
        job_id=job.id,
        name=job.name,
        node_count=job.node_count,
        code_dir=algorithm.get("code_dir"),
        boot_file=algorithm.get("boot_file"),
        command=algorithm.get("command"),
        local_code_dir=None if old else algorithm.get("local_code_dir"),
        working_dir=None if old else algorithm.get("working_dir"),
        parameters=tuple((entry["name"], entry.get("value") or "") for entry in algorithm["parameters"]),
        inputs=_channels(algorithm["inputs"]),
        outputs=_channels(algorithm["outputs"]),
        environments=algorithm.get("environments") or {},
        log_export_url=spec["log_export_path"].get("obs_url"),
        service_environments={**environments, "MA_NUM_GPUS": str(devices)},
    )


def _channels(entries: Sequence[Mapping[str, Any]]) -> tuple[Channel, ...]:
    return tuple(Channel(entry["name"], entry["remote"]["obs"]["obs_url"], entry["local_dir"]) for entry in entries)


def _mark(job: Job) -> None:
    if job.phase == "Pending":
        job.launched = True


def _milliseconds(seconds: float) -> int:
    return int(seconds * 1000)

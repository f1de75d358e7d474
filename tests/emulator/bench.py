"""A supervisor without a server: its database, and an executor whose tasks do what a test says."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import delete, select

from modelarts_emulator.engine import runs
from modelarts_emulator.engine.database import Database, open_database
from modelarts_emulator.engine.runs import STOPPABLE, Phase, Run
from modelarts_emulator.engine.supervisor import Supervisor, Worker
from modelarts_emulator.engine.tables import events, metadata, removals
from modelarts_emulator.execution.protocol import Executor, JobSpec, TaskReport, spec_to_json, task_names

SPEC = spec_to_json(JobSpec("", ""))


class ScriptedExecutor(Executor):
    """Tasks run until a test, or a stop, ends them; `interrupt` is called in the middle of every call."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.reports: dict[str, Any] = {}
        self.started: list[tuple[str, int]] = []
        self.removed: list[str] = []
        self.polls: list[str] = []
        self.failures: dict[str, Exception] = {}
        self.interrupt: Callable[[], None] = lambda: None

    def submit(self, spec: JobSpec) -> str:
        job = spec
        self.interrupt()
        self.started.append((job.job_id, job.attempt))
        self.reports[job.job_id] = [
            TaskReport(task, "running", 1000.0, attempt=job.attempt) for task in task_names(job.node_count)
        ]
        return job.job_id

    def poll(self, handles: Collection[str]) -> Any:
        self.interrupt()
        self.polls += handles
        known = {job_id: self.reports[job_id] for job_id in handles if job_id in self.reports}
        return {**known, **{job_id: self.failures[job_id] for job_id in handles if job_id in self.failures}}

    def end(self, job_id: str, exit_code: int = 0, message: str | None = None) -> None:
        self.reports[job_id] = [
            TaskReport(report.task, "ended", report.started_at, 1001.0, exit_code, message, report.attempt)
            for report in self.reports[job_id]
        ]

    def cancel(self, handle: str) -> None:
        self.interrupt()
        if isinstance(self.reports.get(handle), list):
            self.end(handle, 143)

    def delete(self, handles: Collection[str]) -> Mapping[str, Exception]:
        for handle in handles:
            self.interrupt()
            self.reports.pop(handle, None)
            self.removed.append(handle)
            self.interrupt()
        return {}

    def logs(self, handle: str, task: str, offset: int = 0, max_bytes: int = 1 << 20) -> bytes:
        return self.log_file(handle, task).read_bytes()[offset : offset + max_bytes]

    def log_file(self, handle: str, task: str) -> Path:
        return self.folder / f"{handle}-{task}.log"


class Bench:
    """One database for many supervisors, of which each begins as after a restart; time stands at `now` seconds."""

    def __init__(self, folder: Path, most: int = 2) -> None:
        self.engine = open_database(Path(folder) / "bench.db")
        self.database = Database(self.engine)
        self.folder, self.most = folder, most
        self.timer = 0.0
        self.clock: Callable[[], float] = lambda: 1002.0
        self.clear()

    def clear(self) -> None:
        """Begin without state."""
        with self.engine.begin() as connection:
            for table in metadata.sorted_tables:
                if table.name != "settings":
                    connection.execute(delete(table))
        self.executor = ScriptedExecutor(self.folder)
        self.count = 0
        self.restart()

    def restart(self, executor: Executor | None = None) -> None:
        """Let another supervisor go on with the tables and the executor, or another one."""
        worker = Worker(
            self.database, executor or self.executor, self.clock, self.most, lambda _: {},
            timer=lambda: self.timer,
        )  # fmt: skip
        self.supervisor = Supervisor(worker)

    def close(self) -> None:
        self.engine.dispose()

    def create(self) -> str:
        """Store a job as the handler does; returns its id."""
        self.count += 1
        name = f"job-{self.count}"
        job = Run(name, "p", 1, self.count, SPEC | {"job_id": name, "name": name}, flavor_id="f")
        with self.database.writing() as connection:
            runs.add(connection, job)
        return name

    def stop(self, job_id: str) -> None:
        """Stop the job if its phase allows that."""
        with self.database.writing() as connection:
            job = runs.get(connection, job_id)
            if job is None or job.phase not in STOPPABLE:
                return
            self.supervisor.terminate(connection, job)

    def delete(self, job_id: str) -> None:
        """Delete the job if there is one."""
        with self.database.writing() as connection:
            job = runs.get(connection, job_id)
            if job is None:
                return
            runs.remove(connection, job)

    def steps(self, number: int) -> None:
        """Let the supervisor do this many steps."""

        async def work() -> None:
            for _ in range(number):
                await self.supervisor.step()

        asyncio.run(work())

    def job(self, job_id: str) -> Run:
        with self.database.reading() as connection:
            found = runs.get(connection, job_id)
        assert found is not None
        return found

    def phases(self) -> dict[str, Phase]:
        with self.database.reading() as connection:
            return {job.id: job.phase for job in runs.every(connection)}

    def messages(self, job_id: str) -> Sequence[str]:
        """What the job's events say, in the order in which they were stored."""
        query = select(events.c.message).where(events.c.run_id == job_id).order_by(events.c.id)
        with self.database.reading() as connection:
            return list(connection.execute(query).scalars())

    def removals(self) -> int:
        with self.database.reading() as connection:
            return len(connection.execute(select(removals)).all())

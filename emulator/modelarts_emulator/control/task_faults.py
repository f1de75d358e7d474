"""Faults of running tasks on demand."""

from __future__ import annotations

import asyncio
from typing import Any, get_args

from modelarts_emulator.engine import runs
from modelarts_emulator.engine.database import Database
from modelarts_emulator.engine.leadership import Supervision
from modelarts_emulator.engine.runs import Run
from modelarts_emulator.engine.supervisor import Supervisor
from modelarts_emulator.execution.protocol import Executor, FailureKind, inject_fault, task_names
from modelarts_emulator.http.errors import EmulatorError

__all__ = ["KINDS", "TaskFaults"]

KINDS: tuple[str, ...] = get_args(FailureKind)
MEMBERS = ("job", "task", "kind")


class TaskFaults:
    """Injects faults into tasks, through the executor."""

    def __init__(
        self, database: Database, executor: Executor, supervisor: Supervisor, supervision: Supervision
    ) -> None:
        self._database = database
        self._executor = executor
        self._supervisor = supervisor
        self._supervision = supervision

    async def inject(self, body: dict[str, Any]) -> dict[str, Any]:
        """Inject the fault `kind` into the `task` (`worker-0` unless said) of the `job`.

        Raises ValueError if it cannot, EmulatorError if another process supervises the jobs.
        """
        if not self._supervision.term:
            raise EmulatorError("this front end does not supervise the jobs: cause faults of jobs at the one that does")
        job_id, task, kind = (
            body.get(name, default) for name, default in zip(MEMBERS, ("", "worker-0", ""), strict=True)
        )
        if unknown := sorted(set(body) - set(MEMBERS)):
            raise ValueError(f"{unknown[0]}: a fault of a job has the members {', '.join(MEMBERS)}")
        if kind not in KINDS:
            raise ValueError(f"kind: a job can be {', '.join(KINDS)}")
        job = await asyncio.to_thread(self._find, job_id) if isinstance(job_id, str) else None
        if job is None:
            raise ValueError("job: no job has this id")
        if task not in task_names(job.node_count):
            raise ValueError(f"task: the job has {', '.join(task_names(job.node_count))}")
        try:
            is_running = await asyncio.to_thread(inject_fault, self._executor, job.id, task, kind)
        except KeyError:  # the job has not been started, or was removed meanwhile
            is_running = False
        if not is_running:
            raise ValueError(
                f"task: {task} does not run, so that it cannot have a fault: the job's phase is {job.phase}"
            )
        self._supervisor.wake()
        return {"job": job.id, "task": task, "kind": kind}

    def _find(self, run_id: str) -> Run | None:
        with self._database.reading() as connection:
            return runs.get(connection, run_id)

"""What tests read of an executor: reports and logs of one job."""

from __future__ import annotations

from modelarts_emulator.execution.protocol import Executor, TaskReport, read_log


def reports_of(executor: Executor, handle: str) -> list[TaskReport]:
    """What the job's tasks report once everything that is due was done; empty for an unknown job."""
    for error in executor.advance([handle]).values():
        raise error
    found = executor.poll([handle]).get(handle, [])
    if isinstance(found, Exception):
        raise found
    return list(found)


def log_of(executor: Executor, handle: str, task: str = "worker-0") -> str:
    """The log of the task once everything that is due was done."""
    executor.advance([handle])
    return read_log(executor, handle, task).decode(errors="replace")

"""The stages of a job's attempts, and its tasks.

Pages "ListTrainingJobStages" and "ListTrainingJobTasks". What ends the scheduling of an attempt is the first event of
one of its tasks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from modelarts_emulator.engine import events
from modelarts_emulator.engine.database import MAX_NUMBER
from modelarts_emulator.engine.events import Event
from modelarts_emulator.engine.queue import waiting_reason
from modelarts_emulator.engine.runs import Run, is_terminal
from modelarts_emulator.engine.tables import events as table
from modelarts_emulator.execution.container import addresses
from modelarts_emulator.execution.protocol import task_names
from modelarts_emulator.http.family import Call, Response
from modelarts_emulator.service import ModelArts
from modelarts_emulator.settings.files import own_table
from modelarts_emulator.v2.jobs import JOBS
from modelarts_emulator.v2.task_outputs import timestamp

STAGES = own_table(__file__, "stages.toml")
SCHEDULING = next(iter(STAGES))
MAX_STEPS = 1000  # of all stages of a job


def list_training_job_stages(service: ModelArts, call: Call) -> Response:
    """A record for each attempt, with the stages that it has reached; events of tasks are their steps.

    A job that waits says for what, as it is at the moment of the request.
    """
    with service.database.reading() as connection:
        job = JOBS.find(connection, call.project_id, call.path["training_job_id"])
        reason = waiting_reason(connection, service.capacity, job.run)
        _, steps = events.page(connection, job.run.id, [table.c.source == "Task"], True, MAX_STEPS)
    attempts = _attempts(job.run)
    ends = [queued for queued, _, _ in attempts[1:]] + [MAX_NUMBER]
    records: list[dict[str, Any]] = [
        {
            "record_order": number,
            "stages": _stages(job.id, times, [step for step in steps if times[0] <= step.time < end]),
        }
        for number, (times, end) in enumerate(zip(attempts, ends, strict=True), 1)
    ]
    current = records[-1]["stages"][-1]
    if current["name"] == SCHEDULING and reason:
        current["en_message"] = f"The job waits for resources: {reason}."
    elif current["name"] == SCHEDULING and job.run.held_nodes and not service.executor.owns_queue:
        current["en_message"] = "The job has its nodes and is being started."
    return Response(200, {"total_count": len(records), "running_records": records})


def list_training_job_tasks(service: ModelArts, call: Call) -> Response:
    """The tasks of all schedulings, or of one; their addresses where the emulator chooses them, not a cluster."""
    job = JOBS.of_path(service.database, call, "training_job_id")
    run = job.run
    nodes = [None] * run.node_count if service.executor.owns_queue else addresses(run.id, run.node_count)
    wanted = call.query.get("schedule_count")
    tasks = [
        {"task": task, "ip": node, "host_ip": None, "schedule_count": count}
        for count in range(1, run.attempt + run.launched + 1)
        for task, node in zip(task_names(run.node_count), nodes, strict=True)
        if wanted in (None, count)
    ]
    return Response(200, tasks)


def _attempts(run: Run) -> list[tuple[int, int, int]]:
    """When each attempt was queued, started and ended, in milliseconds; 0 is "not yet".

    The counts of nodes change at these times: a job that waits has none, and one that has ended, until it waits again.
    """
    found = [[run.create_time, 0, 0]]
    for time, count in run.node_counts:
        if count:
            found[-1][2 if found[-1][1] else 1] = time
        elif found[-1][1]:
            found.append([time, 0, 0])
        else:
            found[-1][0] = time
    if is_terminal(run.phase):
        if len(found) > 1 and found[-1][0] >= run.end_time:
            found.pop()
        found[-1][2] = found[-1][2] or run.end_time
    return [(queued, started, ended) for queued, started, ended in found]


def _stages(job_id: str, times: tuple[int, int, int], steps: Sequence[Event]) -> list[dict[str, Any]]:
    queued, started, ended = times
    prepared = next((step.time for step in steps if not started or step.time < started), started)
    bounds = [(queued, prepared), (prepared, started), (started, ended), (ended, 0)]
    return [
        {
            "job_id": job_id,
            "name": name,
            **messages,
            "start_time": timestamp(start),
            "end_time": timestamp(end or ended) if end or ended else None,
            "stage_order": order,
            "sub_stages": [_step(step) for step in steps if start <= step.time < (end or MAX_NUMBER)],
        }
        for order, ((name, messages), (start, end)) in enumerate(zip(STAGES.items(), bounds, strict=True), 1)
        if start
    ]


def _step(step: Event) -> dict[str, Any]:
    messages = {"name": step.message, "en_message": step.message, "zh_message": None}
    return {**messages, "create_time": timestamp(step.time)}

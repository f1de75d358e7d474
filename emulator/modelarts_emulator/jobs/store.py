"""Jobs as they are stored: found, added, changed, removed, always within one project."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.http.json import compose, members
from modelarts_emulator.jobs import events, tables
from modelarts_emulator.jobs.phases import ACTIVE, SECONDARY, Phase, check
from modelarts_emulator.jobs.prepared import Prepared
from modelarts_emulator.jobs.tables import job_counts, jobs, removals

__all__ = [
    "Job",
    "add",
    "count",
    "describe",
    "every",
    "find",
    "get",
    "remove",
    "remove_all",
    "save",
    "some",
    "unfinished",
]


@dataclass(slots=True)
class Job:
    """One row of the table of jobs; times are in milliseconds, 0 is "not yet".

    `head` (kind, metadata) and `tail` (algorithm, spec) are the members of an answer before and behind the status,
    as JSON text: they are asked for again and again, and parsed only to run the job.
    `launched`: the executor was, or is to be, asked to run the attempt, so it takes room.
    `noted`: how much of what the attempt's tasks tell of themselves is in the events.
    """

    id: str
    project_id: str
    user_id: str
    name: str
    kind: str
    algorithm_name: str
    node_count: int
    create_time: int
    head: str
    tail: str
    flavor_id: str = ""
    priority: int = 1
    phase: Phase = "Creating"
    secondary_phase: str = "Creating"
    launched: bool = False
    attempt: int = 0
    retries: int = 0
    hung_task: str = ""
    queue_time: int = 0
    start_time: int = 0
    attempt_start: int = 0
    end_time: int = 0
    worked: int = 0
    noted: dict[str, int] = field(default_factory=dict)
    node_counts: list[list[int]] = field(default_factory=list)
    task_statuses: list[dict[str, Any]] = field(default_factory=list)
    running_records: list[dict[str, Any]] = field(default_factory=list)

    @property
    def was_launched(self) -> bool:
        """Whether the executor may know the job."""
        return self.launched or self.attempt > 0

    @property
    def document(self) -> dict[str, Any]:
        """All but the progress: kind, metadata, algorithm, spec."""
        document: dict[str, Any] = json.loads(compose(self.head, self.tail))
        return document

    def move(self, target: Phase, secondary_phase: str | None = None) -> None:
        """Change the phase; raises ValueError if the table of transitions does not allow it."""
        self.phase = check(self.phase, target)
        self.secondary_phase = secondary_phase or SECONDARY[target]


MAX_IDS = 500  # of one statement: databases limit how many parameters it can have

# One column for all of them: what is JSON costs more to store and to read than the rest of a row.
HISTORY = ("noted", "node_counts", "task_statuses", "running_records")
SINGLE = tuple(entry.name for entry in fields(Job) if entry.name not in HISTORY)
COLUMNS = (*SINGLE, "history")
ALL = select(*(jobs.c[name] for name in COLUMNS))
# Made once: to put a statement together takes longer than to execute it.
BY_ID = Prepared(ALL.where(jobs.c.id == bindparam("job_id")), ["job_id"])
BY_IDS = ALL.where(jobs.c.id.in_(bindparam("job_ids", expanding=True)))
UNFINISHED = ALL.where(jobs.c.phase.in_(sorted(ACTIVE))).order_by(jobs.c.create_time, jobs.c.id)
COUNT = Prepared(select(job_counts.c.count).where(job_counts.c.project_id == bindparam("project")), ["project"])
COUNT_ONE_MORE = Prepared(
    update(job_counts).where(job_counts.c.project_id == bindparam("project")).values(count=job_counts.c.count + 1),
    ["project"],
)
COUNT_ONE_LESS = (
    update(job_counts).where(job_counts.c.project_id == bindparam("project")).values(count=job_counts.c.count - 1)
)
ADD = Prepared(insert(jobs).values({name: bindparam(name) for name in COLUMNS}), COLUMNS)
REMOVE = delete(jobs).where(jobs.c.id == bindparam("job_id"))
FIXED = ("id", "project_id", "user_id", "name", "kind", "algorithm_name", "node_count", "create_time", "head", "tail")
PROGRESS = tuple(name for name in SINGLE if name not in (*FIXED, "flavor_id", "priority"))
NEW = {name: f"new_{name}" for name in (*PROGRESS, "history")}
SAVE = Prepared(
    update(jobs).where(jobs.c.id == bindparam("job_id")).values({name: bindparam(new) for name, new in NEW.items()}),
    [*NEW.values(), "job_id"],
)
# Each reads all these members of a job in one call.
read_single, read_progress, read_history = attrgetter(*SINGLE), attrgetter(*PROGRESS), attrgetter(*HISTORY)
DESCRIBE = update(jobs).where(jobs.c.id == bindparam("job_id")).values(head=bindparam("new_head"))


def get(connection: Connection, job_id: str) -> Job | None:
    """The job with this id, in whatever project; None if there is none."""
    row = BY_ID.first(connection, job_id)
    return None if row is None else _job(row)


def find(connection: Connection, project_id: str, job_id: str) -> Job:
    """The project's job with this id; raises ServiceError (2775) if the project has none."""
    job = get(connection, job_id)
    if job is None or job.project_id != project_id:
        raise ServiceError("ModelArts.2775", f"Training job {job_id} not found.")
    return job


def unfinished(connection: Connection) -> list[Job]:
    """The jobs that have not ended, the oldest first."""
    return list(map(_job, connection.execute(UNFINISHED).all()))


def some(connection: Connection, job_ids: Collection[str]) -> list[Job]:
    """The jobs with these ids that there are."""
    ids = list(job_ids)
    chunks = (ids[start : start + MAX_IDS] for start in range(0, len(ids), MAX_IDS))
    return [_job(row) for chunk in chunks for row in connection.execute(BY_IDS, {"job_ids": chunk})]


def every(connection: Connection) -> list[Job]:
    """All jobs of all projects."""
    return list(map(_job, connection.execute(ALL).all()))


def count(connection: Connection, project_id: str) -> int:
    """How many jobs the project has, ended ones included."""
    row = COUNT.first(connection, project_id)
    return int(row[0]) if row else 0


def add(connection: Connection, job: Job) -> None:
    """Store a new job; raises ServiceError (2751) if its project has one of this name."""
    try:
        ADD.run(connection, [(*read_single(job), _history(job))])
    except IntegrityError:
        raise ServiceError("ModelArts.2751", f"There is already a training job of the name {job.name}.") from None
    if COUNT.first(connection, job.project_id) is None:
        connection.execute(insert(job_counts), {"project_id": job.project_id, "count": 0})
    COUNT_ONE_MORE.run(connection, [(job.project_id,)])


def save(connection: Connection, changed: Sequence[Job]) -> None:
    """Store the progress of jobs; a job that was removed meanwhile stays removed."""
    if changed:
        SAVE.run(connection, [(*read_progress(job), _history(job), job.id) for job in changed])


def describe(connection: Connection, job: Job, description: str) -> None:
    """Store another description of the job, the only thing beside its progress that may change."""
    head = json.loads(compose(job.head))
    head["metadata"]["description"] = description
    job.head = members(head)
    connection.execute(DESCRIBE, {"job_id": job.id, "new_head": job.head})


def remove(connection: Connection, job: Job) -> None:
    """Take the job away from every client at once; its processes and files are left to the supervisor."""
    if connection.execute(REMOVE, {"job_id": job.id}).rowcount:
        connection.execute(COUNT_ONE_LESS, {"project": job.project_id})
    events.remove(connection, job.id)
    connection.execute(insert(removals), {"job_id": job.id, "project_id": job.project_id})


def remove_all(connection: Connection) -> None:
    """Take all jobs of all projects away, as `remove` does."""
    connection.execute(insert(removals).from_select(["job_id", "project_id"], select(jobs.c.id, jobs.c.project_id)))
    connection.execute(delete(jobs))
    connection.execute(delete(job_counts))
    connection.execute(delete(tables.events))


def _job(row: Sequence[Any]) -> Job:
    *values, past = row
    return Job(*values, **past)


def _history(job: Job) -> dict[str, Any]:
    return dict(zip(HISTORY, read_history(job), strict=True))

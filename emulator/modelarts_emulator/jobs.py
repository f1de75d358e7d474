"""Jobs as they are stored: found, added, changed, removed, always within one project."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from typing import Any

from sqlalchemy import Connection, and_, bindparam, delete, func, insert, not_, select, update

from modelarts_emulator.errors import Refusal
from modelarts_emulator.phases import ACTIVE, SECONDARY, Phase, check
from modelarts_emulator.tables import jobs, removals
from modelarts_emulator.wire import compose, members

__all__ = ["Job", "active", "add", "count", "describe", "every", "find", "get", "name_is_taken", "remove", "save"]


@dataclass(slots=True)
class Job:
    """One row of the table of jobs; times are in milliseconds, 0 is "not yet".

    `head` (kind, metadata) and `tail` (algorithm, spec) are the members of an answer before and behind the status,
    as JSON text: they are asked for again and again, and parsed only to run the job.
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
    phase: Phase = "Creating"
    secondary_phase: str = "Creating"
    launched: bool = False
    start_time: int = 0
    end_time: int = 0
    node_counts: list[list[int]] = field(default_factory=list)
    task_statuses: list[dict[str, Any]] = field(default_factory=list)
    running_records: list[dict[str, Any]] = field(default_factory=list)

    @property
    def document(self) -> dict[str, Any]:
        """All but the progress: kind, metadata, algorithm, spec."""
        document: dict[str, Any] = json.loads(compose(self.head, self.tail))
        return document

    def move(self, target: Phase, secondary_phase: str | None = None) -> None:
        """Change the phase; raises ValueError if the table of transitions does not allow it."""
        self.phase = check(self.phase, target)
        self.secondary_phase = secondary_phase or SECONDARY[target]


NAMES = tuple(entry.name for entry in fields(Job))
COLUMNS = tuple(jobs.c[name] for name in NAMES)
ALL = select(*COLUMNS)
# Made once: to put a statement together takes longer than to execute it.
BY_ID = ALL.where(jobs.c.id == bindparam("job_id"))
WAITS = and_(jobs.c.phase == "Pending", not_(jobs.c.launched))
BUSY = ALL.where(jobs.c.phase.in_(sorted(ACTIVE)), not_(WAITS))
QUEUED = ALL.where(WAITS).order_by(jobs.c.create_time, jobs.c.id).limit(bindparam("most"))


def get(connection: Connection, job_id: str) -> Job | None:
    """The job with this id, in whatever project; None if there is none."""
    row = connection.execute(BY_ID, {"job_id": job_id}).one_or_none()
    return None if row is None else Job(**row._mapping)


def find(connection: Connection, project_id: str, job_id: str) -> Job:
    """The project's job with this id; raises Refusal (2775) if the project has none."""
    job = get(connection, job_id)
    if job is None or job.project_id != project_id:
        raise Refusal("ModelArts.2775", f"Training job {job_id} not found.")
    return job


def active(connection: Connection, queued: int) -> list[Job]:
    """The jobs that have not ended, the oldest first; of those that wait for room, only as many as `queued`."""
    rows = [*connection.execute(BUSY), *connection.execute(QUEUED, {"most": queued})]
    return sorted((Job(**row._mapping) for row in rows), key=lambda job: (job.create_time, job.id))


def every(connection: Connection) -> list[Job]:
    """All jobs of all projects."""
    return [Job(**row._mapping) for row in connection.execute(ALL)]


def name_is_taken(connection: Connection, project_id: str, name: str) -> bool:
    """Whether a job of the project has this name."""
    query = select(jobs.c.id).where(jobs.c.project_id == project_id, jobs.c.name == name).limit(1)
    return connection.execute(query).first() is not None


def count(connection: Connection, project_id: str) -> int:
    """How many jobs the project has, ended ones included."""
    query = select(func.count()).select_from(jobs).where(jobs.c.project_id == project_id)
    return connection.execute(query).scalar_one()


def add(connection: Connection, job: Job) -> None:
    connection.execute(insert(jobs).values({name: getattr(job, name) for name in NAMES}))


def save(connection: Connection, job: Job) -> None:
    """Store what may change in a job; a job that was removed meanwhile stays removed."""
    changing = {name: getattr(job, name) for name in NAMES if name not in ("id", "head", "tail")}
    connection.execute(update(jobs).where(jobs.c.id == job.id).values(changing))


def describe(connection: Connection, job: Job, description: str) -> None:
    """Store another description of the job, the only thing beside its progress that may change."""
    head = json.loads(compose(job.head))
    head["metadata"]["description"] = description
    job.head = members(head)
    connection.execute(update(jobs).where(jobs.c.id == job.id).values(head=job.head))


def remove(connection: Connection, job: Job) -> None:
    """Take the job away from every client at once; its processes and files are left to the supervisor."""
    connection.execute(delete(jobs).where(jobs.c.id == job.id))
    connection.execute(insert(removals).values(job_id=job.id, project_id=job.project_id))

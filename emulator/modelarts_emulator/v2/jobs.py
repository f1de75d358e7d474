"""Training jobs as they are stored, and their list: filters, order and pages, as far as the service documents them.

Documented are the operators and seven keys, `id` was seen; which operator fits which key is read from the documented
example.
A blank value restricts nothing: the example sends blanks in every filter that it does not use.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Index,
    Integer,
    Row,
    Table,
    bindparam,
    delete,
    insert,
    literal,
    or_,
    select,
    update,
)

from modelarts_emulator.engine import runs as stored_runs
from modelarts_emulator.engine.database import MAX_NUMBER, contains
from modelarts_emulator.engine.runs import Run, runs
from modelarts_emulator.engine.tables import TEXT, columns, metadata, table_of
from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.resources import Resource
from modelarts_emulator.tuning import state

# Labels of jobs.
job_tags = Table(
    "job_tags",
    metadata,
    *columns({"job_id": TEXT, "key": TEXT}, value=TEXT, project_id=TEXT),
    Index("job_tag_values", "project_id", "key", "value", "job_id"),
)

# How many jobs each project has: counted as they come and go, because counting a hundred thousand takes longer than to
# find a page of them.
job_counts = Table("job_counts", metadata, *columns({"project_id": TEXT}, count=Integer))

MAX_VALUES = 400  # of all filters together; SQLite takes 1,000 nested expressions, a page nests them twice


@dataclass(slots=True)
class Job:
    """A training job, who made it, and its run.

    `document` has what was asked for, with everything resolved that it refers to: metadata, algorithm, spec.
    """

    id: str
    project_id: str
    user_id: str
    name: str
    kind: str
    algorithm_name: str
    create_time: int
    description: str
    document: dict[str, Any]
    run: Run
    experiment_id: str | None = None


v2_jobs = table_of(
    Job,
    "v2_jobs",
    Column("run_id", TEXT, nullable=False, unique=True),
    # To find a page, the index is read from its begin; short entries keep that quick.
    Index("v2_job_times", "project_id", "create_time", "id"),
    # Holds all that a search asks about, so that it reads no more rows than its page has.
    Index("v2_job_searches", "project_id", "create_time", "id", "name", "kind", "algorithm_name", "user_id", "run_id"),
    # SQLite prefers a unique index, so it looks names up in this one.
    Index("v2_job_names", "project_id", "name", unique=True),
    leave_out=("run",),
)
Index("v2_job_experiments", v2_jobs.c.experiment_id, sqlite_where=v2_jobs.c.experiment_id.is_not(None))
COLUMNS = [column for column in v2_jobs.columns if column.name != "run_id"]
COUNT = select(job_counts.c.count).where(job_counts.c.project_id == bindparam("project"))
CHANGE_COUNT = (
    update(job_counts)
    .where(job_counts.c.project_id == bindparam("project"))
    .values(count=job_counts.c.count + bindparam("more"))
)
TEXTS: dict[str, ColumnElement[Any]] = {
    "id": v2_jobs.c.id,
    "name": v2_jobs.c.name,
    "phase": runs.c.phase,
    "algorithm_name": v2_jobs.c.algorithm_name,
    "kind": v2_jobs.c.kind,
    "user_id": v2_jobs.c.user_id,
    "runtime_type": literal(""),  # "debug" is the only value documented, and no job here is one
}
TIMES: dict[str, ColumnElement[Any]] = {"create_time": v2_jobs.c.create_time}


class Jobs(Resource[Job]):
    """The jobs of projects, with their runs; how many a project has is counted as they come and go."""

    def add_job(self, connection: Connection, job: Job) -> None:
        """Store a new job and its run; raises ServiceError (2751) if its project has one of this name."""
        self.add(connection, {column.name: getattr(job, column.name) for column in COLUMNS} | {"run_id": job.run.id})
        stored_runs.add(connection, job.run)
        if not connection.execute(CHANGE_COUNT, {"project": job.project_id, "more": 1}).rowcount:
            connection.execute(insert(job_counts), {"project_id": job.project_id, "count": 1})

    def remove_job(self, connection: Connection, job: Job) -> None:
        """Delete the job and its run; its processes and files are left to the supervisor."""
        self.remove(connection, job.project_id, job.id)
        connection.execute(delete(job_tags).where(job_tags.c.job_id == job.id))
        state.remove(connection, job.run)
        connection.execute(CHANGE_COUNT, {"project": job.project_id, "more": -1})

    def count(self, connection: Connection, scope: Any, conditions: Sequence[ColumnElement[bool]] = ()) -> int:
        """How many jobs of the project meet the conditions."""
        if conditions:
            return super().count(connection, scope, conditions)
        return int(connection.execute(COUNT, {"project": scope}).scalar() or 0)


def _read(row: Row[Any]) -> Job:
    values, run = stored_runs.read_joined(row, COLUMNS)
    return Job(**values, run=run)


JOBS = Jobs(
    key=v2_jobs.c.id,
    scope=v2_jobs.c.project_id,
    joined=v2_jobs.join(runs, runs.c.id == v2_jobs.c.run_id),
    rows=stored_runs.joined(COLUMNS, v2_jobs.c.run_id),
    read=_read,
    missing=lambda key: ServiceError("ModelArts.2775", f"Training job {key} not found."),
    in_use=lambda name: ServiceError("ModelArts.2751", f"A training job named {name} already exists."),
    exceeded=lambda most: ServiceError("ModelArts.2815", f"Exceed quota limit of resource (training jobs): {most}."),
    sorts={**TIMES, **{name: TEXTS[name] for name in ("name", "phase", "algorithm_name")}},
)


def conditions_of(connection: Connection, filters: Sequence[Mapping[str, Any]]) -> list[ColumnElement[bool]]:
    """What the filters of a search ask for; raises ServiceError for a filter that is not right."""
    # Every value is a parameter of the statement and a nested expression, and databases limit both.
    if (number := sum(max(len(entry.get("value") or ()), 1) for entry in filters)) > MAX_VALUES:
        raise ServiceError("ModelArts.2809", f"The filters have {number} values: give {MAX_VALUES} at most.")
    return [condition for entry in filters for condition in _conditions(connection, entry)]


def _conditions(connection: Connection, entry: Mapping[str, Any]) -> list[ColumnElement[bool]]:
    key, operator = entry["key"], entry.get("operator") or ""
    if key not in TEXTS and key not in TIMES:
        raise ServiceError("ModelArts.2807", f"Filter key {key!r} is not supported: use {', '.join([*TEXTS, *TIMES])}.")
    supported = ("like", "in", "not") if key in TEXTS else ("between", "in", "not")
    if operator not in supported:
        raise ServiceError(
            "ModelArts.2808", f"Operator {operator!r} is not supported for {key}: use {', '.join(supported)}."
        )
    values = list(entry.get("value") or ())
    if operator == "between":
        return _between(values)
    values = list(filter(None, values))
    if not values:
        return []
    if operator == "like":
        return [or_(*(contains(connection, TEXTS[key], value) for value in values))]
    column = (TIMES | TEXTS)[key]
    wanted = [_time(value) for value in values] if key in TIMES else values
    return [column.in_(wanted) if operator == "in" else column.not_in(wanted)]


def _between(values: Sequence[str]) -> list[ColumnElement[bool]]:
    if not values:
        return []
    if len(values) != 2:
        raise ServiceError("ModelArts.2809", f"Filter create_time: between takes two values, not {len(values)}.")
    low, high = values
    conditions = [v2_jobs.c.create_time >= _time(low)] if low else []
    return [*conditions, v2_jobs.c.create_time <= _time(high)] if high else conditions


def _time(value: str) -> int:
    if not (value.isascii() and value.isdigit()):
        raise ServiceError("ModelArts.2809", f"Filter create_time: {value!r} is not a time in milliseconds since 1970.")
    return min(int(value[:20]), MAX_NUMBER)

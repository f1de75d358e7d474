"""Runs as they are stored: what is executed, and how far it is."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from sqlalchemy import Column, Connection, Row, Select, bindparam, delete, insert, select, update

from modelarts_emulator.execution.protocol import JobSpec, spec_from_json
from modelarts_emulator.jobs import events
from modelarts_emulator.jobs.phases import ACTIVE, Phase, check
from modelarts_emulator.jobs.tables import events as event_rows
from modelarts_emulator.jobs.tables import removals, run_logs, runs
from modelarts_openapi.phases import SECONDARY_PHASES

__all__ = [
    "RestartPolicy",
    "Run",
    "add",
    "chunks",
    "every",
    "get",
    "joined",
    "new_id",
    "read_joined",
    "remove",
    "save",
    "some",
    "unfinished",
    "with_specs",
]


@dataclass(frozen=True, slots=True)
class RestartPolicy:
    """How often a run is restarted, whether after any failure, and whether when it hangs."""

    number: int = 0
    always: bool = False
    hung: bool = False


@dataclass(slots=True)
class Run:
    """One row of the table of runs; times are in milliseconds, 0 is "not yet".

    `spec` is what the executor runs, without the attempt and what the platform sets; it is long, and empty unless it
    was asked for. `max_duration` 0 is any time, `log_lifetime` 0 for ever.
    `launched`: the executor was, or is to be, asked to run the attempt, so it takes room.
    `version` counts how often the run was stored, so that nobody overwrites what another one has changed.
    `event_counts`: by task of the attempt, how many of its events are stored.
    """

    id: str
    project_id: str
    node_count: int
    create_time: int
    spec: dict[str, Any] = field(default_factory=dict)
    flavor_id: str = ""
    priority: int = 1
    max_duration: int = 0
    log_lifetime: int = 0
    restarts: RestartPolicy = field(default_factory=RestartPolicy)
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
    past_duration: int = 0
    version: int = 0
    event_counts: dict[str, int] = field(default_factory=dict)
    node_counts: list[list[int]] = field(default_factory=list)
    task_statuses: list[dict[str, Any]] = field(default_factory=list)
    running_records: list[dict[str, Any]] = field(default_factory=list)

    @property
    def was_launched(self) -> bool:
        """Whether the executor may know the run."""
        return self.launched or self.attempt > 0

    def move(self, target: Phase, secondary_phase: str | None = None) -> None:
        """Change the phase; raises ValueError if the table of transitions does not allow it."""
        self.phase = check(self.phase, target)
        self.secondary_phase = secondary_phase or SECONDARY_PHASES[target]

    def job_spec(self, environments: Mapping[str, str]) -> JobSpec:
        """What the executor is to run now; `environments` is what the platform sets for the project."""
        own = self.spec.get("service_environments") or {}
        left_s = max(self.max_duration - self.past_duration, 0) / 1000 if self.max_duration else None
        now = {"attempt": self.attempt, "priority": self.priority, "max_duration_s": left_s}
        return spec_from_json({**self.spec, **now, "service_environments": {**environments, **own}})


MAX_IDS = 500  # of one statement: databases limit how many parameters it can have

# One column for all of them: what is JSON costs more to store and to read than the rest of a row.
HISTORY = ("event_counts", "node_counts", "task_statuses", "running_records")
FIXED = (
    "id",
    "project_id",
    "node_count",
    "create_time",
    "spec",
    "flavor_id",
    "priority",
    "max_duration",
    "log_lifetime",
    "restarts",
)
OF_POLICY = tuple(entry.name for entry in fields(RestartPolicy))
PROGRESS = tuple(entry.name for entry in fields(Run) if entry.name not in (*FIXED, *HISTORY))
VERSIONS = select(runs.c.id, runs.c.version).where(runs.c.id.in_(bindparam("run_ids", expanding=True)))
# All but the specification, which is long to read.
COLUMNS = [column for column in runs.columns if column.name != "spec"]
NAMES = [column.name for column in COLUMNS]
BY_ID = select(runs).where(runs.c.id == bindparam("run_id"))
BY_IDS = select(*COLUMNS).where(runs.c.id.in_(bindparam("run_ids", expanding=True)))
SPECS = select(runs.c.id, runs.c.spec).where(runs.c.id.in_(bindparam("run_ids", expanding=True)))
ADD = insert(runs)
SAVE = (
    update(runs)
    .where(runs.c.id == bindparam("run_id"))
    .values({name: bindparam(f"new_{name}") for name in (*PROGRESS, "history")})
)


def read(row: Row[Any] | Mapping[str, Any]) -> Run:
    """The run of a row that has all columns of the table, or all but the specification."""
    values = dict(row if isinstance(row, Mapping) else row._mapping)
    values |= values.pop("history")
    values["restarts"] = RestartPolicy(**values["restarts"])
    return Run(**values)


def joined(own: Sequence[Column[Any]], run_id: Column[str]) -> Select[Any]:
    """A query for these columns of a table and for the runs that its column `run_id` names; see `read_joined`."""
    return select(*own, *(column.label(f"run_{column.name}") for column in COLUMNS)).join(runs, runs.c.id == run_id)


def read_joined(row: Row[Any], own: Sequence[Column[Any]]) -> tuple[dict[str, Any], Run]:
    """The values of a row of `joined`, and its run without the specification."""
    values = tuple(row)
    run = read(dict(zip(NAMES, values[len(own) :], strict=True)))
    return {column.name: value for column, value in zip(own, values, strict=False)}, run


def get(connection: Connection, run_id: str) -> Run | None:
    """The run with this id; None if there is none."""
    row = connection.execute(BY_ID, {"run_id": run_id}).one_or_none()
    return None if row is None else read(row)


def unfinished(connection: Connection) -> list[Run]:
    """The runs that have not ended, the oldest first, without their specifications."""
    query = select(*COLUMNS).where(runs.c.phase.in_(sorted(ACTIVE))).order_by(runs.c.create_time, runs.c.id)
    return list(map(read, connection.execute(query)))


def some(connection: Connection, run_ids: Collection[str]) -> list[Run]:
    """The runs with these ids that there are, without their specifications."""
    return [read(row) for chunk in chunks(run_ids) for row in connection.execute(BY_IDS, {"run_ids": chunk})]


def with_specs(connection: Connection, found: Sequence[Run]) -> list[Run]:
    """The runs with their specifications, except those that were removed meanwhile."""
    ids = chunks([run.id for run in found])
    specs = {row.id: row.spec for chunk in ids for row in connection.execute(SPECS, {"run_ids": chunk})}
    return [replace(run, spec=specs[run.id]) for run in found if run.id in specs]


def every(connection: Connection) -> list[Run]:
    """All runs of all projects."""
    return list(map(read, connection.execute(select(runs))))


def add(connection: Connection, run: Run) -> None:
    """Store a new run."""
    policy = {name: getattr(run.restarts, name) for name in OF_POLICY}
    fixed = {name: getattr(run, name) for name in FIXED} | {"restarts": policy}
    connection.execute(ADD, fixed | _progress(run))


def save(connection: Connection, changed: Sequence[Run]) -> set[str]:
    """Store the progress of runs, in a transaction of `Database.writing`.

    A run that somebody else has changed or removed since it was read stays as it is; returns the ids of these. The
    version of the others is one higher from then on, which their objects do not know yet.
    """
    stored: dict[str, int] = {}
    for chunk in chunks([run.id for run in changed]):
        stored |= {row.id: row.version for row in connection.execute(VERSIONS, {"run_ids": chunk})}
    current = [run for run in changed if stored.get(run.id) == run.version]
    if current:
        rows = [
            {"run_id": run.id} | {f"new_{name}": value for name, value in _progress(run).items()} for run in current
        ]
        connection.execute(SAVE, [row | {"new_version": row["new_version"] + 1} for row in rows])
    return {run.id for run in changed} - {run.id for run in current}


def remove(connection: Connection, run: Run) -> None:
    """Delete the run with its events; its processes and files are left to the supervisor."""
    connection.execute(delete(runs).where(runs.c.id == run.id))
    connection.execute(delete(run_logs).where(run_logs.c.run_id == run.id))
    events.remove(connection, run.id)
    connection.execute(insert(removals), {"run_id": run.id, "project_id": run.project_id})


def remove_all(connection: Connection) -> None:
    """Delete all runs of all projects, as `remove` does."""
    connection.execute(insert(removals).from_select(["run_id", "project_id"], select(runs.c.id, runs.c.project_id)))
    for table in (runs, run_logs, event_rows):
        connection.execute(delete(table))


def chunks(given: Collection[str]) -> Iterator[list[str]]:
    """The ids, as many at a time as a statement can have."""
    ids = list(given)
    return (ids[start : start + MAX_IDS] for start in range(0, len(ids), MAX_IDS))


def _progress(run: Run) -> dict[str, Any]:
    history = {name: getattr(run, name) for name in HISTORY}
    return {name: getattr(run, name) for name in PROGRESS} | {"history": history}


_lock = threading.Lock()
_last = 0


def new_id() -> str:
    """A UUID that is greater than all before it, also while the emulator's clock stands.

    It is of the free version 8 (RFC 9562): 60 bits that only grow, also over restarts, and 62 random ones.
    """
    global _last
    with _lock:
        _last = max(time.time_ns() >> 1, _last + 1)
        ticks = _last
    digits, chance = f"{ticks >> 12:012x}", secrets.token_hex(8)
    variant = "89ab"[int(chance[0], 16) & 3]
    return f"{digits[:8]}-{digits[8:]}-8{ticks & 0xFFF:03x}-{variant}{chance[1:4]}-{chance[4:]}"

"""Runs as they are stored: what is executed, and how far it is."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final, NamedTuple, TypeVar

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Index,
    Integer,
    Row,
    Select,
    bindparam,
    delete,
    func,
    insert,
    select,
    text,
    update,
)

from modelarts_emulator.engine.tables import events, removals, table_of
from modelarts_emulator.execution.devices import devices_from_json
from modelarts_emulator.execution.protocol import JobSpec, Resources, spec_from_json, spec_to_json
from modelarts_openapi.phases import SECONDARY_PHASES, TERMINAL_PHASES, TRANSITIONS, Phase

REQUEUE_TIMEOUT_MS = 30 * 60 * 1000
"""Milliseconds that a job which was restarted waits for room before the platform gives it up."""
MEMORY_UNITS = {"MB": 1 << 20, "GB": 1 << 30}  # in bytes
# Page "Terminating a Training Job" says when a job can be stopped.
STOPPABLE: Final = frozenset(phase for phase, targets in TRANSITIONS.items() if "Terminating" in targets)
ACTIVE: Final = frozenset(phase for phase, targets in TRANSITIONS.items() if targets)


def is_terminal(phase: Phase) -> bool:
    """Whether a job in this phase has ended for good."""
    return phase in TERMINAL_PHASES


class Line(NamedTuple):
    """What runs wait for in one line: nodes of a flavor, each with so many accelerators of a kind."""

    flavor_id: str
    device_kind: str = ""
    device_count: int = 0


@dataclass(slots=True)
class Run:
    """One row of the table of runs; times are in milliseconds since 1970, 0 is "not yet", durations in milliseconds.

    `spec` is what the executor runs, without the attempt and what the platform sets; it is long, and None unless it
    was asked for. `max_duration` 0 is any time, `log_lifetime` (how long logs are kept after the end) 0 for ever.
    `launched`: the executor was, or is to be, asked to run the attempt; it is set before, so that after a crash every
    run that may have a process is known. `cancelled`: the executor was asked to end the attempt.
    A search is a run whose trials are the runs with its id as `parent_id`; it holds no nodes, and the executor never
    sees it.
    `retries` are the restarts that count, at most `max_retries`, after any failure if `is_always_retried`.
    `attempt_start` is when the attempt that runs began, `past_duration` how long all that ended ran.
    `event_counts`: by task of the attempt, how many of its events are stored.
    `device_kind` and `device_count` say of which kind and how many accelerators a node needs; `devices` has, for each
    node, those that it takes, and is stored as long as it takes nodes.
    """

    id: str
    project_id: str
    node_count: int
    create_time: int
    spec: JobSpec | None = None
    parent_id: str = ""
    is_search: bool = False
    flavor_id: str = ""
    device_kind: str = ""
    device_count: int = 0
    priority: int = 1
    max_duration: int = 0
    log_lifetime: int = 0
    max_retries: int = 0
    is_always_retried: bool = False
    phase: Phase = "Creating"
    secondary_phase: str = "Creating"
    launched: bool = False
    cancelled: bool = False
    attempt: int = 0
    retries: int = 0
    queue_time: int = 0
    start_time: int = 0
    attempt_start: int = 0
    end_time: int = 0
    past_duration: int = 0
    event_counts: dict[str, int] = field(default_factory=dict)
    devices: list[list[dict[str, Any]]] = field(default_factory=list)
    node_counts: list[list[int]] = field(default_factory=list)
    task_statuses: list[dict[str, Any]] = field(default_factory=list)
    running_records: list[dict[str, Any]] = field(default_factory=list)

    @property
    def line(self) -> Line:
        """What the run waits for."""
        return Line(self.flavor_id, self.device_kind, self.device_count)

    @property
    def trial(self) -> str:
        """The id of the trial that the run is; empty for a job."""
        return self.id.removeprefix(f"{self.parent_id}-") if self.parent_id else ""

    @property
    def was_launched(self) -> bool:
        """Whether the executor may know the run."""
        return self.launched or self.attempt > 0

    @property
    def is_waiting(self) -> bool:
        """Whether the run waits for nodes."""
        return self.phase == "Pending" and not self.launched

    @property
    def held_nodes(self) -> int:
        """How many nodes the run takes now."""
        return self.node_count if self.launched and not (self.is_search or is_terminal(self.phase)) else 0

    @property
    def is_searching(self) -> bool:
        """Whether the run is a search that has not ended."""
        return self.is_search and not is_terminal(self.phase)

    @property
    def deadline(self) -> int | None:
        """When something happens to the run although no task reports anything; None if nothing will."""
        if self.is_waiting and self.attempt:
            return self.queue_time + REQUEUE_TIMEOUT_MS
        limit = self.max_duration if self.phase == "Running" and self.attempt_start else 0
        return self.attempt_start + limit - self.past_duration if limit else None

    def move(self, target: Phase, secondary_phase: str | None = None) -> None:
        """Change the phase; raises ValueError if the table of transitions does not allow it."""
        if target not in TRANSITIONS[self.phase]:
            raise ValueError(f"a job cannot go from {self.phase} to {target}")
        self.phase = target
        self.secondary_phase = secondary_phase or SECONDARY_PHASES[target]

    @property
    def required_spec(self) -> JobSpec:
        """The specification; raises ValueError if it was not asked for."""
        if self.spec is None:
            raise ValueError(f"the specification of {self.id} was not read")
        return self.spec

    def job_spec(self, environments: Mapping[str, str], has_pool: bool = False) -> JobSpec:
        """What the executor is to run now; `environments` is what the platform sets for the project.

        Where a pool of accelerators is shared out, a node without its own has none.
        """
        spec = self.required_spec
        devices = devices_from_json(self.devices) or (((),) * self.node_count if has_pool else None)
        left_s = max(self.max_duration - self.past_duration, 0) / 1000 if self.max_duration else None
        return replace(
            spec,
            attempt=self.attempt,
            priority=self.priority,
            max_duration_s=left_s,
            devices=devices,
            service_environments={**environments, **(spec.service_environments or {})},
        )


Item = TypeVar("Item")

HOLDS_NODES = text("held_nodes > 0")
HAS_DEADLINE = text("deadline IS NOT NULL")
IS_SEARCHING = text("is_searching")
runs = table_of(
    Run,
    "runs",
    Column("held_nodes", Integer, nullable=False),
    Column("deadline", BigInteger, nullable=True),
    Column("is_searching", Boolean, nullable=False),
    Index("run_phases", "phase", "project_id", "id"),
)
# Only of what runs, so that it costs nothing how many runs have ended.
Index("run_nodes", runs.c.flavor_id, runs.c.held_nodes, sqlite_where=HOLDS_NODES)
Index("run_searches", runs.c.is_searching, sqlite_where=IS_SEARCHING)
IS_TRIAL = text("parent_id <> ''")
Index("run_trials", runs.c.parent_id, sqlite_where=IS_TRIAL)
Index("run_deadlines", runs.c.deadline, sqlite_where=HAS_DEADLINE)

MAX_IDS = 500  # of one statement: databases limit how many parameters it can have

NAMES = tuple(entry.name for entry in fields(Run) if entry.name != "spec")  # which is long to read
COLUMNS = [runs.c[name] for name in NAMES]
RUNS = select(*COLUMNS)
BY_IDS = RUNS.where(runs.c.id.in_(bindparam("run_ids", expanding=True)))
REQUESTED = RUNS.where(runs.c.phase.in_(("Creating", "Terminating")))
LATE = RUNS.where(HAS_DEADLINE, runs.c.deadline <= bindparam("now"))
LAUNCHED = RUNS.where(HOLDS_NODES)
SEARCHES = RUNS.where(IS_SEARCHING)
TRIALS = RUNS.where(IS_TRIAL, runs.c.parent_id == bindparam("parent")).order_by(runs.c.create_time, runs.c.id)
SPECS = select(runs.c.id, runs.c.spec).where(runs.c.id.in_(bindparam("run_ids", expanding=True)))
HELD = select(runs.c.flavor_id, runs.c.held_nodes, runs.c.devices).where(HOLDS_NODES)
HELD_BY_REMOVED = select(removals.c.flavor_id, removals.c.held_nodes, removals.c.devices)
IS_WAITING = (runs.c.phase == "Pending", runs.c.launched.is_(False))
LINES = select(*(runs.c[name] for name in Line._fields)).where(*IS_WAITING).distinct()
OF_LINE = RUNS.where(*IS_WAITING, *(runs.c[name] == bindparam(name) for name in Line._fields))
WAITING = OF_LINE.where(runs.c.node_count <= bindparam("most")).order_by(
    runs.c.attempt == 0, runs.c.priority.desc(), runs.c.create_time, runs.c.id
)
TOO_LARGE = OF_LINE.where(runs.c.node_count > bindparam("most"))
ADD = insert(runs)
SAVE = update(runs).where(runs.c.id == bindparam("run_id"))


def _read(values: Sequence[Any] | Row[Any]) -> Run:
    """The run of a row whose columns are those of `NAMES`."""
    return Run(**dict(zip(NAMES, values, strict=True)))


def joined(own: Sequence[Column[Any]], run_id: Column[str]) -> Select[Any]:
    """A query for these columns of a table and for the runs that its column `run_id` names; see `read_joined`."""
    return select(*own, *(column.label(f"run_{column.name}") for column in COLUMNS)).join(runs, runs.c.id == run_id)


def read_joined(row: Row[Any], own: Sequence[Column[Any]]) -> tuple[dict[str, Any], Run]:
    """The values of a row of `joined`, and its run without the specification."""
    values = tuple(row)
    return {column.name: value for column, value in zip(own, values, strict=False)}, _read(values[len(own) :])


def get(connection: Connection, run_id: str) -> Run | None:
    """The run with this id; None if there is none."""
    found = with_specs(connection, by_ids(connection, [run_id]))
    return found[0] if found else None


def by_ids(connection: Connection, run_ids: Collection[str]) -> list[Run]:
    """The runs with these ids that there are, without their specifications."""
    return [_read(row) for chunk in chunks(run_ids) for row in connection.execute(BY_IDS, {"run_ids": chunk})]


def launched(connection: Connection) -> list[Run]:
    """The runs that the executor was, or is to be, asked to run, and that have not ended."""
    return list(map(_read, connection.execute(LAUNCHED)))


def searches(connection: Connection) -> list[Run]:
    """The searches that have not ended."""
    return list(map(_read, connection.execute(SEARCHES)))


def trials(connection: Connection, run: Run) -> list[Run]:
    """The trials of a search, in the order in which they were made; empty for any other run."""
    return list(map(_read, connection.execute(TRIALS, {"parent": run.id}))) if run.is_search else []


def due(connection: Connection, now: int, changed: Collection[str] | None) -> list[Run]:
    """The runs that may change now, the oldest first, without their specifications.

    Those that a request has made or stopped, those whose deadline has come, and of the launched ones those that are in
    `changed`, or all of them.
    """
    found = [_read(row) for query in (REQUESTED, LATE) for row in connection.execute(query, {"now": now})]
    found += launched(connection) if changed is None else (run for run in by_ids(connection, changed) if run.held_nodes)
    return sorted({run.id: run for run in found}.values(), key=lambda run: (run.create_time, run.id))


def waiting(connection: Connection, line: Line, most_nodes: int, limit: int) -> list[Run]:
    """The first `limit` runs of the line, without those that need more than `most_nodes` nodes."""
    query = WAITING.limit(min(limit, 2**31))
    return list(map(_read, connection.execute(query, line._asdict() | {"most": most_nodes})))


def too_large(connection: Connection, line: Line, most_nodes: int) -> list[Run]:
    """The runs of the line that need more than `most_nodes` nodes."""
    return list(map(_read, connection.execute(TOO_LARGE, line._asdict() | {"most": most_nodes})))


def waiting_lines(connection: Connection) -> list[Line]:
    """The lines in which runs wait."""
    return [Line(*row) for row in connection.execute(LINES)]


class Held(NamedTuple):
    """What a run takes: so many nodes of a flavor, and the ids of their accelerators."""

    flavor_id: str
    nodes: int
    devices: Sequence[str] = ()


def held(connection: Connection) -> list[Held]:
    """What each run takes, removed ones included that may still have processes.

    A removed one whose processes do not end takes no nodes, but its accelerators.
    """
    return [
        Held(row[0], row[1], [device["id"] for own in row[2] for device in own])
        for query in (HELD, HELD_BY_REMOVED)
        for row in connection.execute(query)
        if row[1] or row[2]
    ]


def next_deadline(connection: Connection) -> int | None:
    """The first of all deadlines, in milliseconds since 1970."""
    return connection.execute(select(func.min(runs.c.deadline)).where(HAS_DEADLINE)).scalar()


def with_specs(connection: Connection, found: Sequence[Run]) -> list[Run]:
    """The runs with their specifications, except those that were removed meanwhile."""
    ids = chunks([run.id for run in found])
    specs = {row.id: row.spec for chunk in ids for row in connection.execute(SPECS, {"run_ids": chunk})}
    for run in found:
        run.spec = spec_from_json(specs[run.id]) if run.id in specs else None
    return [run for run in found if run.id in specs]


def add(connection: Connection, run: Run) -> None:
    """Store a new run."""
    if run.spec is not None:
        run.device_kind, run.device_count = run.spec.resources.devices
    connection.execute(ADD, _row(run) | {"spec": spec_to_json(run.spec) if run.spec else {}})


def save(connection: Connection, changed: Collection[Run]) -> None:
    """Store runs that were read in this transaction."""
    if changed:
        connection.execute(SAVE, [_row(run) | {"run_id": run.id} for run in changed])


def _row(run: Run) -> dict[str, Any]:
    row = {name: getattr(run, name) for name in (*NAMES, "held_nodes", "deadline", "is_searching")}
    return row if run.held_nodes else row | {"devices": []}


def remove(connection: Connection, run: Run) -> None:
    """Delete the run with its trials and events; processes and files are left to the supervisor."""
    gone = [run, *trials(connection, run)]
    for one in gone:
        connection.execute(delete(runs).where(runs.c.id == one.id))
        connection.execute(delete(events).where(events.c.run_id == one.id))
    names = ("flavor_id", "held_nodes", "devices")
    rows = [{"run_id": one.id, **{name: getattr(one, name) for name in names}} for one in gone]
    connection.execute(insert(removals), rows)


def remove_all(connection: Connection) -> None:
    """Delete all runs of all projects, as `remove` does."""
    names = ("flavor_id", "held_nodes", "devices")
    rows = select(runs.c.id, *(runs.c[name] for name in names))
    connection.execute(insert(removals).from_select(["run_id", *names], rows))
    for table in (runs, events):
        connection.execute(delete(table))


def node_resources(flavor_id: str, flavor_info: Mapping[str, Any]) -> Resources:
    """What a node of the flavor has."""
    memory = flavor_info.get("memory", {})
    return Resources(
        flavor_id=flavor_id,
        cpu_cores=flavor_info.get("cpu", {}).get("core_num"),
        memory_bytes=memory.get("size", 0) * MEMORY_UNITS.get(memory.get("unit", ""), 0) or None,
        gpu_count=flavor_info.get("gpu", {}).get("unit_num", 0),
        npu_count=int(flavor_info.get("npu", {}).get("unit_num", 0)),  # the documents have it as text, too
    )


def chunks(given: Collection[Item], size: int = MAX_IDS) -> Iterator[list[Item]]:
    """The ids, as many at a time as a statement can have, or other items."""
    items = list(given)
    return (items[start : start + size] for start in range(0, len(items), size))


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

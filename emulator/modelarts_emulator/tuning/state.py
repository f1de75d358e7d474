"""What is known about searches and their trials, besides their runs."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from modelarts_emulator.engine import runs
from modelarts_emulator.engine.runs import Run
from modelarts_emulator.engine.tables import table_of
from modelarts_emulator.tuning.policy import Policy, number, policy_from_json

Status = Literal["PENDING", "RUNNING", "TERMINATED", "ERROR"]


@dataclass(slots=True)
class Trial:
    """One trial.

    `config` has the values that it tries. `status` is what its run and its log have shown so far: it ends when both
    are read to their end. `reports` are the newest of its `iterations`: seconds since the start, then the best reward
    so far, then each metric, None for one that was not seen yet. `latest` has the metrics as they are now.
    `read_bytes` counts, by task, the bytes of its log that were read.
    """

    search_id: str
    number: int
    trial_id: str
    run_id: str
    config: dict[str, float]
    status: Status = "PENDING"
    iterations: int = 0
    reports: list[list[Any]] = field(default_factory=list)
    latest: list[str | None] = field(default_factory=list)
    read_bytes: dict[str, int] = field(default_factory=dict)

    @property
    def is_done(self) -> bool:
        return self.status in ("TERMINATED", "ERROR")

    @property
    def best(self) -> str:
        """The best reward so far as it was printed; empty if none is a number."""
        return str(self.reports[-1][1]) if self.reports else ""

    @property
    def result(self) -> float | None:
        """What the trial found: its last reward, as far as that is a number and the trial did not fail."""
        return number(self.latest[0]) if self.status == "TERMINATED" and self.latest[0] is not None else None


@dataclass(slots=True)
class Search:
    """One search, by the id of its run.

    `sizes` has the bytes of each task's joint log that are right. `failure` says why the search ends before its time.
    `analysis` has by hyperparameter mean and standard deviation of its importance.
    """

    run_id: str
    policy: Policy
    sizes: dict[str, int] = field(default_factory=dict)
    failure: str = ""
    analysis: dict[str, list[float]] = field(default_factory=dict)


searches = table_of(Search, "searches", key=("run_id",))
trials = table_of(Trial, "trials", key=("search_id", "number"))
ID = searches.c.run_id == bindparam("search")
TRIALS = select(trials).where(trials.c.search_id == bindparam("search")).order_by(trials.c.number)


def new_trial(search: Search, run: Run, index: int, config: Mapping[str, float], now: int) -> tuple[Trial, Run]:
    """The trial with this index, and its run: the search's with the trial's values and a folder for each output."""
    spec = run.required_spec
    trial_id = hashlib.sha256(f"{run.id}/{index}".encode()).hexdigest()[:8]
    run_id = f"{run.id}-{trial_id}"
    values = {name: text_of(value) for name, value in config.items()}
    given = [(name, values.pop(name, text)) for name, text in spec.parameters]
    own = replace(
        spec,
        job_id=run_id,
        parameters=(*given, *values.items()),
        outputs=tuple(
            replace(channel, obs_url=f"{channel.obs_url.rstrip('/')}/{trial_id}/") for channel in spec.outputs
        ),
        log_export_url=None,
    )
    trial = Trial(run.id, index, trial_id, run_id, dict(config), latest=[None] * len(search.policy.rewards))
    return trial, Run(
        id=run_id,
        project_id=run.project_id,
        parent_id=run.id,
        node_count=run.node_count,
        create_time=now,
        spec=own,
        flavor_id=run.flavor_id,
        priority=run.priority,
        log_lifetime=run.log_lifetime,
        max_retries=run.max_retries,
        is_always_retried=run.is_always_retried,
    )


def text_of(value: float) -> str:
    """The value as a script reads it: an integer without a fraction."""
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))


def begin(connection: Connection, run: Run, policy: Policy) -> None:
    """Store a new search with this run."""
    connection.execute(insert(searches), asdict(Search(run.id, policy)))


def remove(connection: Connection, run: Run) -> None:
    """Delete the run with all that is stored of it as a search."""
    if run.is_search:
        connection.execute(delete(searches).where(ID), {"search": run.id})
        connection.execute(delete(trials).where(trials.c.search_id == run.id))
    runs.remove(connection, run)


def find_search(connection: Connection, run_id: str) -> Search | None:
    """The search with this run; None if the run is not a search."""
    row = connection.execute(select(searches).where(ID), {"search": run_id}).one_or_none()
    return None if row is None else Search(**{**row._mapping, "policy": policy_from_json(row.policy)})


def find_trials(connection: Connection, run_id: str) -> list[Trial]:
    """The trials of a search so far, in their order."""
    return [Trial(**row._mapping) for row in connection.execute(TRIALS, {"search": run_id})]


def save(connection: Connection, search: Search, changed: Sequence[Trial]) -> None:
    """Store how far the search and these of its trials are."""
    values = {"sizes": search.sizes, "failure": search.failure, "analysis": search.analysis}
    connection.execute(update(searches).where(ID).values(values), {"search": search.run_id})
    for trial in changed:
        mine = (trials.c.search_id == trial.search_id) & (trials.c.number == trial.number)
        connection.execute(update(trials).where(mine).values(asdict(trial)))


def add(connection: Connection, trial: Trial, run: Run) -> None:
    """Store a new trial and its run."""
    connection.execute(insert(trials), asdict(trial))
    runs.add(connection, run)

"""What is known about searches and their trials, as it is stored."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from sqlalchemy import Connection, delete, insert, select, update

from modelarts_emulator.engine.database import Database
from modelarts_emulator.engine.tables import searches, trials
from modelarts_emulator.execution.protocol import JobSpec, spec_from_json
from modelarts_emulator.tuning.policy import number

Status = Literal["PENDING", "RUNNING", "TERMINATED", "ERROR"]


@dataclass(slots=True)
class Trial:
    """One trial; times in seconds since 1970.

    `config` has the values that it tries. `reports` are the newest of its `iterations`: seconds since the start, then
    the best reward so far, then each metric, None for one that was not seen yet. `latest` has the metrics as they are
    now. `matched` counts the bytes of its log that were searched for metrics, `copied` those that were copied, by task.
    A trial that `is_interrupted` was ended with the whole search, and runs again if the search is restarted.
    """

    job_id: str
    number: int
    trial_id: str
    attempt: int
    config: dict[str, float]
    status: Status = "PENDING"
    is_stopped: bool = False
    is_interrupted: bool = False
    started_at: float | None = None
    ended_at: float | None = None
    exit_code: int | None = None
    iterations: int = 0
    reports: list[list[Any]] = field(default_factory=list)
    latest: list[str | None] = field(default_factory=list)
    matched: int = 0
    copied: dict[str, int] = field(default_factory=dict)

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
        if self.status != "TERMINATED" or self.is_interrupted or not self.latest or self.latest[0] is None:
            return None
        return number(self.latest[0])

    def restarted(self, attempt: int) -> Trial:
        """The trial as it has to be run anew."""
        return replace(
            self,
            attempt=attempt,
            status="PENDING",
            is_interrupted=False,
            started_at=None,
            ended_at=None,
            exit_code=None,
        )

    @property
    def run_id(self) -> str:
        """What the trial is called where jobs are executed."""
        return f"{self.job_id}-{self.trial_id}"


@dataclass(slots=True)
class Search:
    """One search; `events` are time and message, `outcome` the members of the report that says how it ended.

    `ending` is how it will end when its trials have ended.
    `analysis` has by hyperparameter its `importance` (mean, standard deviation) and the place of its `picture`.
    """

    job_id: str
    spec: dict[str, Any]
    attempt: int = 0
    ending: dict[str, Any] | None = None
    started_at: float | None = None
    sizes: dict[str, int] = field(default_factory=dict)
    events: list[list[Any]] = field(default_factory=list)
    outcome: dict[str, Any] | None = None
    analysis: dict[str, Any] | None = None

    def spec_of(self, trial: Trial) -> JobSpec:
        """What to run for the trial: the job with the trial's values, and a folder of its own for each output."""
        spec = spec_from_json(self.spec)
        values = {name: text_of(value) for name, value in trial.config.items()}
        given = [(name, values.pop(name, text)) for name, text in spec.parameters]
        outputs = (
            replace(channel, obs_url=f"{channel.obs_url.rstrip('/')}/{trial.trial_id}/") for channel in spec.outputs
        )
        return replace(
            spec,
            job_id=trial.run_id,
            parameters=(*given, *values.items()),
            outputs=tuple(outputs),
            attempt=trial.attempt,
            search=None,
        )


def text_of(value: float) -> str:
    """The value as a script reads it: no fraction where there is none."""
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))


class State:
    """The searches of a database. It reads, but never writes, that a trial is to be stopped."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def ids(self) -> set[str]:
        """The jobs that are searches."""
        with self._database.reading() as connection:
            return set(connection.execute(select(searches.c.job_id)).scalars())

    def search(self, job_id: str) -> Search | None:
        with self._database.reading() as connection:
            return find_search(connection, job_id)

    def trials(self, job_id: str) -> list[Trial]:
        """The search's trials, in their order."""
        with self._database.reading() as connection:
            return find_trials(connection, job_id)

    def save(self, search: Search, *changed: Trial) -> None:
        """Store the search and these of its trials as they are now, all or nothing."""
        with self._database.writing_as_leader() as connection:
            if not connection.execute(_updated(searches, asdict(search), ("job_id",))).rowcount:
                connection.execute(insert(searches).values(asdict(search)))
            for trial in changed:
                members = asdict(trial)
                if not connection.execute(_updated(trials, members, ("job_id", "number"))).rowcount:
                    connection.execute(insert(trials).values(members))

    def remove(self, job_id: str) -> None:
        """Forget the search and its trials."""
        with self._database.writing_as_leader() as connection:
            connection.execute(delete(trials).where(trials.c.job_id == job_id))
            connection.execute(delete(searches).where(searches.c.job_id == job_id))


def find_search(connection: Connection, job_id: str) -> Search | None:
    """The search that the job is; None if it is none, or has not started."""
    row = connection.execute(select(searches).where(searches.c.job_id == job_id)).one_or_none()
    return None if row is None else Search(**row._mapping)


def find_trials(connection: Connection, job_id: str) -> list[Trial]:
    """The trials of the job so far, in their order."""
    rows = connection.execute(select(trials).where(trials.c.job_id == job_id).order_by(trials.c.number))
    return [Trial(**row._mapping) for row in rows]


def stop_trial(connection: Connection, trial: Trial) -> None:
    """Ask for the end of the trial."""
    mine = (trials.c.job_id == trial.job_id) & (trials.c.number == trial.number)
    connection.execute(update(trials).where(mine).values(is_stopped=True))


def _updated(table: Any, members: dict[str, Any], keys: tuple[str, ...]) -> Any:
    changing = {name: value for name, value in members.items() if name not in (*keys, "is_stopped")}
    statement = update(table).values(changing)
    for key in keys:
        statement = statement.where(table.c[key] == members[key])
    return statement

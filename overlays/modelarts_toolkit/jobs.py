"""What can be done with jobs, written once for both clients: flows of generated operations.

A job is given as a handle, as a model, by its id, or by its name.
"""

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from .errors import ConfigError, NotFound, ObsError
from .explain import Verdict, explaining
from .flows import Call, Clock, Flow, collected
from .job_state import AnyJob, JobState, Phase, job_id, models_at, value_at
from .local_files import path_below
from .log_cursor import LogCursor
from .logs import Fetch, following
from .waiting import OnProgress, waiting

if TYPE_CHECKING:
    from modelarts_api.v2.models import Event, TrainingJob

    from .obs import Transfer

TRIALS_PER_PAGE = 50
PHASES: tuple[str, ...] = get_args(Phase)

# The usual form of ids; any other text is first looked up as a name.
_ID = re.compile(r"[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}", re.IGNORECASE)


class Rows(list[dict[str, Any]]):
    """A table as a list of rows; `to_pandas()` makes a DataFrame of it."""

    def to_pandas(self) -> Any:
        """The rows as a `pandas.DataFrame`; raises ConfigError if pandas is not installed."""
        try:
            pandas: Any = import_module("pandas")
        except ModuleNotFoundError as error:
            raise ConfigError("a DataFrame needs one more library: pip install pandas") from error
        return pandas.DataFrame(list(self))


def searching(
    api: Any, name: str | None, phase: str | Iterable[str] | None, limit: int | None
) -> "Flow[list[TrainingJob]]":
    """Find jobs whose names contain `name` and whose phase is one of `phase`, newest first, `limit` at most.

    Raises ValueError for a phase that no job has: the service would find nothing.
    """
    phases = [phase] if isinstance(phase, str) else list(phase or ())
    for unknown in set(phases).difference(PHASES):
        from difflib import get_close_matches

        near = get_close_matches(str(unknown), PHASES, 1)
        hint = f"did you mean {near[0]}?" if near else f"use {', '.join(PHASES)}"
        raise ValueError(f"{unknown!r} is not a phase of a job: {hint}")
    filters = [{"key": "name", "operator": "like", "value": [name]}] if name else []
    filters += [{"key": "phase", "operator": "in", "value": phases}] if phases else []
    query: dict[str, Any] = {"sort_by": "create_time", "order": "desc", "filters": filters}
    found: list[TrainingJob] = yield collected(api.training_jobs.iter_training_jobs(query), limit)
    return found


def resolving(api: Any, job: AnyJob, limit_s: float = math.inf) -> Flow[str]:
    """Find the id of a job; a text that is the name of no job counts as an id."""
    given = job_id(job)
    if not isinstance(job, str) or _ID.fullmatch(given):
        return given
    query = {"filters": [{"key": "name", "operator": "like", "value": [given]}]}
    found: list[TrainingJob] = yield Call(lambda: collected(api.training_jobs.iter_training_jobs(query)), limit_s)
    states = [JobState.of(each) for each in found]
    return next((state.id for state in states if state.name == given and state.id), given)  # the filter is fuzzy


def showing(api: Any, job: AnyJob) -> "Flow[TrainingJob]":
    """Show the job; a name that looks like an id is found, too."""
    ident = yield from resolving(api, job)
    try:
        shown: TrainingJob = yield Call(lambda: api.training_jobs.show_training_job_details(ident))
    except NotFound:
        if not isinstance(job, str) or not _ID.fullmatch(job):
            raise
        named = [each for each in (yield from searching(api, job, None, None)) if JobState.of(each).name == job]
        if not named:
            raise
        return named[0]
    return shown


def stopping(api: Any, job: AnyJob) -> "Flow[TrainingJob]":
    """Stop the job; returns it in phase Terminating."""
    ident = yield from resolving(api, job)
    stopped: TrainingJob = yield api.training_jobs.stop_training_job(ident, {"action_type": "terminate"})
    return stopped


def deleting(api: Any, job: AnyJob) -> Flow[None]:
    """Delete the job, stopping it if need be; its outputs stay in object storage."""
    ident = yield from resolving(api, job)
    yield api.training_jobs.delete_training_job(ident)


def waiting_for(
    api: Any,
    job: AnyJob,
    clock: Clock,
    timeout: float | None,
    poll: tuple[float, float],
    on_progress: OnProgress | None,
) -> "Flow[TrainingJob]":
    """As `waiting`, for a job given by its name, too; finding it is part of the timeout."""
    began = clock.now()
    ident = yield from resolving(api, job, timeout if timeout is not None and timeout > 0 else math.inf)
    rest = None if timeout is None else max(timeout - (clock.now() - began), 0)
    return (yield from waiting(lambda: api, ident, clock, timeout=rest, poll=poll, on_progress=on_progress))


def reading_logs(
    api: Any,
    fetch: Fetch,
    job: AnyJob,
    clock: Clock,
    *,
    task: str | None,
    all_tasks: bool,
    cursor: LogCursor | None,
    poll: tuple[float, float],
    follow: bool,
) -> Flow[None]:
    """Emit the lines of a task's log: those there are, or with `follow` all until the job has ended."""
    ident = yield from resolving(api, job)
    yield from following(
        lambda: api, fetch, ident, clock, task=task, all_tasks=all_tasks, poll=poll, follow=follow, cursor=cursor
    )


def listing_events(api: Any, job: AnyJob, level: str | None) -> "Flow[list[Event]]":
    """List what happened to the job, oldest first."""
    ident = yield from resolving(api, job)
    conditions = {"level": level} if level else {}
    events: list[Event] = yield collected(api.events.iter_training_job_events(ident, order="asc", **conditions))
    return events


def reading_metrics(api: Any, job: AnyJob, task: str | None) -> Flow[Rows]:
    """Read how the tasks used their nodes: a row for each task and minute; None where nothing was measured."""
    ident = yield from resolving(api, job)
    tasks: tuple[str, ...] = (task,) if task else ()
    if not tasks:
        tasks = JobState.of((yield api.training_jobs.show_training_job_details(ident))).tasks
    rows = Rows()
    for name in tasks:
        response = yield api.metrics.show_training_job_metrics(ident, name)
        metrics = [] if response is None else response.metrics  # no content: nothing was measured yet
        series = {metric.metric: metric.value for metric in metrics}
        for minute in range(max(map(len, series.values()), default=0)):
            values = {metric: _measured(values, minute) for metric, values in series.items()}
            rows.append({"task": name, "minute": minute, **values})
    return rows


def _measured(values: list[float], minute: int) -> float | None:
    return values[minute] if minute < len(values) and values[minute] != -1 else None


def reading_trials(api: Any, job: AnyJob) -> Flow[Rows]:
    """Read the trials of a search, a row for each, with the columns that the service has."""
    ident = yield from resolving(api, job)
    rows = Rows()
    while True:
        page = yield api.hyperparameter_searches.show_auto_search_trials(ident, offset=len(rows), limit=TRIALS_PER_PAGE)
        table = page.items
        header = [name or "number" for name in value_at(table, "header") or ()]  # the column that counts has no name
        new = [dict(zip(header, row, strict=False)) for row in value_at(table, "data") or ()]
        rows += new
        if not new or len(rows) >= (page.total or 0):
            return rows


def explaining_job(api: Any, job: AnyJob) -> Flow[Verdict]:
    """Say where the job stands and why."""
    details = yield from showing(api, job)
    return (yield from explaining(lambda: api, details))


def output_urls(job: "TrainingJob") -> dict[str, str]:
    """Where each output channel of the job goes, by its name, as obs:// URLs."""
    found = {}
    for output in models_at(job, "algorithm", "outputs"):
        name, url = value_at(output, "name"), value_at(output, "remote", "obs", "obs_url")
        if isinstance(url, str) and isinstance(name, str):
            folder = url if url.startswith("obs://") else f"obs://{url.lstrip('/')}"
            found[name] = folder if folder.endswith("/") else f"{folder}/"
    return found


def listing_outputs(api: Any, job: AnyJob) -> Flow[dict[str, str]]:
    """List where the outputs go."""
    return output_urls((yield from showing(api, job)))


def downloading(api: Any, obs: Callable[[], Any], job: AnyJob, folder: Path) -> "Flow[Transfer]":
    """Download each output channel into the subfolder of its name.

    Raises ObsError if all of them are empty, and at the end if one could not be downloaded completely.
    """
    urls = yield from listing_outputs(api, job)
    done: Transfer | None = None
    failure: ObsError | None = None
    storage = obs()
    for name, url in urls.items():
        if (yield storage.list(url)):
            try:
                transfer: Transfer = yield storage.download(url, path_below(folder, name, is_followed=True))
            except (ObsError, ValueError) as error:
                failure = failure or (error if isinstance(error, ObsError) else ObsError(f"output {error}", url))
                continue
            done = (
                transfer
                if done is None
                else replace(done, files=done.files + transfer.files, bytes=done.bytes + transfer.bytes)
            )
    if failure is not None:
        raise failure
    if done is None:
        places = ", ".join(urls.values()) or "no output channel"
        raise ObsError(f"the job has no outputs yet ({places})", url=next(iter(urls.values()), ""))
    return done

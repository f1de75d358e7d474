"""`modelarts job list` and `modelarts v1 job list`: jobs with columns, conditions and an order as on the page."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from modelarts_api.phases import STATUS_NUMBERS, Phase
from modelarts_toolkit.cli.experiment import tags_of
from modelarts_toolkit.cli.groups import Command
from modelarts_toolkit.cli.job_choice import NEWEST, is_v1, jobs_of, short_ids
from modelarts_toolkit.cli.options import with_options
from modelarts_toolkit.cli.terminal import Terminal, with_terminal
from modelarts_toolkit.texts import lasted, when

if TYPE_CHECKING:
    from modelarts_toolkit.jobs._async.handles import AsyncJobHandle
    from modelarts_toolkit.jobs.columns import Column, Condition, Curves
    from modelarts_toolkit.jobs.info import JobInfo

T = TypeVar("T")

MOST_READ = 100  # jobs whose logs are read
READ_AT_ONCE = 8
NEWEST_FIRST = "-created"


@click.command("list", cls=Command)
@click.argument("name", required=False)
@with_options("job list")
@with_terminal
def list_jobs(
    terminal: Terminal,
    name: str | None,
    phase: "tuple[Phase, ...]",
    tags: tuple[str, ...],
    experiment: str | None,
    **shown: Any,
) -> None:
    """List jobs, newest first; with NAME, only those whose names contain it.

    A COLUMN is the name of a hyperparameter, best:METRIC or last:METRIC, such as best:loss, or name, id, phase,
    created, or ran (in seconds). --where and --sort look among the newest 500 jobs.
    """
    query = {"phase": phase or None, "tags": tags_of(tags), "experiment": experiment}
    _show_list(terminal, {"name": name, **query}, **shown)


@click.command("list", cls=Command)
@click.argument("name", required=False)
@with_options("v1 job list")
@with_terminal
def list_v1_jobs(terminal: Terminal, name: str | None, status: str | None, **shown: Any) -> None:
    """List jobs, newest first, each with the phase of its newest version.

    A COLUMN is as for modelarts job list.
    """
    _show_list(terminal, {"name": name, "status": None if status is None else STATUS_NUMBERS[status]}, **shown)


def _show_list(
    terminal: Terminal, query: dict[str, Any], columns: Sequence[str], where: Sequence[str], sort: str, limit: int
) -> None:
    """Print the first jobs of those that the query and the conditions choose, by default the newest ones."""
    from modelarts_toolkit.jobs.columns import Column, conditions, order, unsortable

    ma, found = terminal.connect(), []
    try:
        shown = [Column.parse(key) for key in columns]
        wanted = [condition for text in where for condition in conditions(text)]
        by = Column.parse(sort.removeprefix("-"))
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    if shown or wanted or sort != NEWEST_FIRST:
        query["limit"] = max(limit, NEWEST) if wanted or sort != NEWEST_FIRST else limit
        found = asyncio.run(_chosen(terminal, query, wanted, [*shown, by]))
        if problem := unsortable(by, [by.value(*each) for each in found]):
            terminal.note(problem)
        else:
            found = order(found, lambda each: by.value(*each), is_descending=sort.startswith("-"))
        found = found[:limit]
    else:
        found = [(job, None) for job in jobs_of(ma).list(**query, limit=limit)]
    ids = short_ids(ma, [job for job, _ in found]) if terminal.format == "table" else {}
    rows, documents = [], []
    for job, curves in found:
        row = {"name": job.name, "id": ids.get(job.id), "phase": job.phase}
        row |= {"created": when(job.created_at), "ran": lasted(job.running_time)}
        rows.append(row | {each.title: each.text(job, curves) for each in shown if each.kind})
        values = {"columns": {each.key: each.value(job, curves) for each in shown}} if shown else {}
        documents.append({**job.details.to_dict(), **values})
    terminal.show_rows(rows, documents, "No job matches." if wanted else "No jobs found.")


async def _chosen(
    terminal: Terminal, query: dict[str, Any], wanted: "Sequence[Condition]", shown: "Sequence[Column]"
) -> "list[tuple[JobInfo, Curves]]":
    """Return the jobs that fulfil the conditions, with their curves if a column needs them."""
    from modelarts_toolkit import ApiError, AsyncModelArts
    from modelarts_toolkit.jobs.columns import PARAMETER, absent

    columns = dict.fromkeys([*shown, *(each.column for each in wanted)])
    at_once = asyncio.Semaphore(READ_AT_ONCE)

    async def read(job: "AsyncJobHandle", what: "Callable[[], Awaitable[T]]") -> "T | None":
        async with at_once:
            try:
                return await what()
            except ApiError as error:
                terminal.note(f"{job.name} could not be read: {error}")
                return None

    async with AsyncModelArts(profile=terminal.profile, cloud=terminal.cloud) as ma:
        jobs: list[Any] = [*await (ma.v1_jobs if is_v1() else ma.jobs).list(**query)]
        if len(jobs) == query["limit"] >= NEWEST:
            terminal.note(f"Only the newest {len(jobs)} jobs were looked at.")
        if any(each.kind == PARAMETER for each in columns):  # which a list of version 1 lacks
            await asyncio.gather(*(read(job, job.refresh) for job in jobs if not job.has_settings))
        found = [job for job in jobs if all(each.column.is_metric or each.matches(job, None) for each in wanted)]
        curves: dict[JobInfo, Curves] = {}
        if any(each.is_metric for each in columns):
            if len(found) > MOST_READ:
                terminal.note(f"Only the metrics of the newest {MOST_READ} of {len(found)} jobs were read.")
            found = found[:MOST_READ]
            read_ones = await asyncio.gather(*(read(job, job.curves) for job in found))
            curves = dict(zip(found, read_ones, strict=True))
    for note in absent(columns, jobs, [curves.get(job) for job in jobs]):
        terminal.note(note)
    return [(job, curves.get(job)) for job in found if all(each.matches(job, curves.get(job)) for each in wanted)]

"""The list of jobs, the queue, and the comparison of jobs."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import takewhile
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from starlette.requests import Request

from modelarts_api.phases import (
    ABNORMAL,
    FAILED,
    PHASES,
    RUNNING,
    STATUS_NUMBERS,
    TERMINAL_PHASES,
    TERMINATING,
    Phase,
)
from modelarts_toolkit.curves.charts import curves_chart
from modelarts_toolkit.jobs._async.handles import AsyncJobHandle
from modelarts_toolkit.jobs.info import JobInfo, TrainingJobInfo
from modelarts_toolkit.reading import entries, present
from modelarts_toolkit.texts import distinct_prefixes
from modelarts_toolkit.ui.problems import PROBLEMS
from modelarts_toolkit.ui.site import Context, Page, Site, now

if TYPE_CHECKING:
    from modelarts_api.v2.models import RunningRecord

SHOWN = 50  # jobs of a list
MOST_SHOWN = 1000
SORTS = {"created": "created_at", "name": "name", "phase": "phase", "ran": "running_time"}
WAITING = frozenset(PHASES) - TERMINAL_PHASES - {RUNNING, TERMINATING}
MOST_COMPARED = 10
REASONS_AT_ONCE = 5


class JobRow(NamedTuple):
    """A line of the list: a job, where its page is, and how its time divides."""

    job: JobInfo
    url: str
    why: str
    waited: timedelta | None
    """How long it waited for its start; None if that is not known, as of a job that was restarted after its end."""
    running_share: int
    """Percent of the time since its creation that it ran."""

    @classmethod
    def of(cls, job: JobInfo, is_v1: bool, reason: str = "", queued: datetime | None = None) -> "JobRow":
        """The line; `queued` is the start of the first stage, if it is known."""
        started, ran = job.started_at, job.running_time or timedelta()
        records = run_records(job)
        ran_before = records and (started is None or records[0].started_at + timedelta(seconds=1) <= started)
        queued = queued if ran_before else job.created_at
        waited = (started or now()) - queued if queued and (started or not job.is_terminal) else None
        total = (waited or timedelta()) + ran
        return cls(
            job=job,
            url=url_of(job.id, is_v1),
            why=(reason or job.explanation) if job.phase in (FAILED, ABNORMAL) else "",
            waited=waited if waited is None or waited >= timedelta() else timedelta(),
            running_share=round(100 * ran / total) if total else 0,
        )

    @property
    def since(self) -> datetime | None:
        """When it began to run, or to wait."""
        return self.job.started_at or (None if self.waited is None else self.job.created_at)

    @property
    def flavor(self) -> str:
        """The kind of its nodes; empty for a job of a list of version 1."""
        return self.job.flavor if self.job.has_settings else ""

    @property
    def nodes(self) -> int:
        """The number of its nodes; 1 if it is not known."""
        return (self.job.nodes if self.job.has_settings else None) or 1


def run_records(job: JobInfo) -> "Sequence[RunningRecord]":
    """The runs of a job, and why each ended; none in version 1."""
    details = job.details if isinstance(job, TrainingJobInfo) else None
    return entries(lambda: present(details).status.running_records)


def url_of(key: str, is_v1: bool) -> str:
    """The page of a job."""
    return f"/v1/jobs/{key.replace('/', '-')}" if is_v1 else f"/jobs/{key}"


async def find(site: Site, request: Request) -> AsyncJobHandle:
    """The job of a page, as it is now; raises NotFound if it is gone."""
    key = request.path_params["key"]
    if is_v1(request):
        return await site.ma.v1_jobs.get(key.replace("-", "/"))
    return await site.ma.jobs.get(key)


def is_v1(request: Request) -> bool:
    """Whether a page is about jobs of version 1."""
    return request.url.path.startswith("/v1/")


async def load_jobs(site: Site, request: Request) -> Context:
    """The newest jobs of those that the address asks for."""
    given = request.query_params
    count = given.get("n") or str(SHOWN)
    if not count.isdecimal() or count == "0":
        raise ValueError(f"n={count} is not a number of jobs: use 1 to {MOST_SHOWN}")
    limit = min(int(count), MOST_SHOWN)
    name, sort = given.get("name") or None, given.get("sort") or "created"
    if sort.lstrip("-") not in SORTS:
        raise ValueError(f"jobs are not sorted by {sort}: use {', '.join(SORTS)}")
    found: Sequence[AsyncJobHandle]
    if is_v1(request):
        status = given.get("status")
        found = await site.ma.v1_jobs.list(name=name, status=STATUS_NUMBERS[status] if status else None, limit=limit)
    else:
        tag, _, value = given.get("tag", "").partition("=")
        found = await site.ma.jobs.list(
            name=name,
            phase=cast("list[Phase]", [phase for phase in given.getlist("phase") if phase]),
            tags={tag: value or None} if tag else None,
            experiment=given.get("experiment") or None,
            limit=limit,
        )
    await _find_reasons(site, found)
    rows = [JobRow.of(job, is_v1(request), site.reasons.get(job.id, "")) for job in found]
    with_query = request.url.include_query_params
    return {
        "title": "Jobs",
        "rows": ordered(rows, sort),
        "is_v1": is_v1(request),
        "phases": [*STATUS_NUMBERS] if is_v1(request) else PHASES,
        "given": given,
        "chosen": given.getlist("phase"),
        "sort": sort,
        "sorts": {each: str(with_query(sort=f"-{each}" if each == sort else each)) for each in SORTS},
        "more": str(with_query(n=min(2 * limit, MOST_SHOWN))) if len(rows) == limit else "",
    }


async def _find_reasons(site: Site, jobs: Iterable[AsyncJobHandle]) -> None:
    """Learn why jobs failed, a few at a time: each costs three requests. The next update of the page looks up more."""
    unknown = [job for job in jobs if job.phase in (FAILED, ABNORMAL) and job.id not in site.reasons]

    async def find_reason(job: AsyncJobHandle) -> None:
        try:
            site.reasons[job.id] = (await job.explain()).text
        except PROBLEMS:
            site.reasons[job.id] = ""  # the exit code is shown

    await asyncio.gather(*map(find_reason, unknown[:REASONS_AT_ONCE]))


def ordered(rows: list[JobRow], sort: str) -> list[JobRow]:
    """The lines by a column, newest first by default; a minus turns the order round."""
    field, is_turned = sort.lstrip("-"), sort.startswith("-")
    if field == "created":
        return rows[::-1] if is_turned else rows
    empty = timedelta() if field == "ran" else ""
    return sorted(rows, key=lambda row: getattr(row.job, SORTS[field]) or empty, reverse=is_turned != (field == "ran"))


async def load_queue(site: Site, _request: Request) -> Context:
    """The jobs that run and that wait, by the kind of their nodes, those that come first at the top."""
    phases = [phase for phase in PHASES if phase not in TERMINAL_PHASES]
    active = await site.ma.jobs.list(phase=phases, limit=MOST_SHOWN)
    rows = [JobRow.of(job, is_v1=False) for job in reversed(active)]
    used: Counter[str] = Counter()
    for row in rows:
        used[row.flavor] += row.nodes * (row.job.phase not in WAITING)
    waiting = [row for row in rows if row.job.phase in WAITING]
    can = {} if site.emulator is None else (await site.emulator.call("GET", "health"))["capabilities"]
    nodes: dict[str, int] = can.get("nodes", {})
    return {
        "title": "Queue",
        "most_running": can.get("running_jobs"),
        "flavors": [
            {
                "flavor": flavor,
                "used": used[flavor],
                "nodes": nodes.get(flavor),
                "running": [row for row in rows if row.flavor == flavor and row.job.phase not in WAITING],
                "waiting": [row for row in waiting if row.flavor == flavor],
            }
            for flavor in dict.fromkeys([*(row.flavor for row in rows), *nodes])
        ],
        "why": {row.job.id: await _last_event(site, row.job.id) for row in waiting[:20]},
    }


async def _last_event(site: Site, key: str) -> str:
    events = await (await site.ma.jobs.get(key)).events()
    return str(events[-1].message) if events else ""


async def load_comparison(site: Site, request: Request) -> Context:
    """Several jobs: what differs, and the curves of each metric in one picture."""
    keys = list(dict.fromkeys(request.query_params.getlist("job")))
    if not 2 <= len(keys) <= MOST_COMPARED:
        raise ValueError(f"two to {MOST_COMPARED} jobs are compared: select them in the list of jobs")
    if is_v1(request):
        comparison = await site.ma.v1_jobs.compare([key.replace("-", "/") for key in keys])
    else:
        comparison = await site.ma.jobs.compare(keys)
    times = Counter(job.name for job in comparison.jobs)
    ids = distinct_prefixes(job.id for job in comparison.jobs)
    names = [job.name if times[job.name] == 1 else f"{job.name} ({ids[job.id]})" for job in comparison.jobs]
    return {
        "title": "Compare",
        "jobs": comparison.jobs,
        "results": comparison.results,
        "urls": [url_of(job.id, is_v1(request)) for job in comparison.jobs],
        "parameters": comparison.parameters,
        "settings": {name: without_common_folder(values) for name, values in comparison.settings.items()},
        "metrics": comparison.metrics,
        "charts": [
            curves_chart(metric, {name: curve for name, curve in zip(names, curves, strict=True) if curve})
            for metric, curves in comparison.metrics.items()
            if any(curve and curve.count > 1 for curve in curves)
        ],
    }


def without_common_folder(values: Sequence[Any]) -> Sequence[Any]:
    """The values; of paths only what follows the folder that all have in common."""
    if not all(isinstance(value, str) for value in values):
        return values
    paths = [value.split("/") for value in values]
    common = len([*takewhile(lambda parts: len(set(parts)) == 1, zip(*paths, strict=False))])
    return ["/".join(parts[common:]) for parts in paths]


PAGES = (
    Page("/", "jobs.html", load_jobs, ("rows",)),
    Page("/v1/jobs", "jobs.html", load_jobs, ("rows",)),
    Page("/queue", "queue.html", load_queue, ("queue",)),
    Page("/compare", "compare.html", load_comparison),
    Page("/v1/compare", "compare.html", load_comparison),
)

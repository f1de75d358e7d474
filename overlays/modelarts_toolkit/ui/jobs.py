"""The list of jobs: which ones, in which columns and in which order, all as the address says."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TypeAlias, cast
from urllib.parse import urlencode

from starlette.datastructures import QueryParams
from starlette.requests import Request

from modelarts_api.phases import ABNORMAL, FAILED, PHASES, STATUS_NUMBERS, TERMINAL_PHASES, Phase
from modelarts_toolkit.curves.curves import Curve
from modelarts_toolkit.jobs._async.handles import AsyncJobHandle
from modelarts_toolkit.jobs.columns import FIELDS, PARAMETER, Column, absent, conditions, offered, order, unsortable
from modelarts_toolkit.jobs.info import JobInfo
from modelarts_toolkit.reading import read
from modelarts_toolkit.texts import counted
from modelarts_toolkit.ui.job_row import WAITING, JobRow, is_v1
from modelarts_toolkit.ui.problems import PROBLEMS
from modelarts_toolkit.ui.site import Context, Page, Site

_Curves: TypeAlias = Mapping[JobInfo, Mapping[str, Curve] | None]  # of each job

SHOWN = 50  # jobs of a list
MOST_SHOWN = 1000
FILTERS = ("name", "phase", "status", "tag", "experiment", "where")
REASONS_AT_ONCE = 5
MOST_PARAMETERS, MOST_METRICS = 3, 2  # columns as long as nobody has chosen any


async def load_jobs(site: Site, request: Request) -> Context:
    """The newest jobs of those that the address asks for."""
    given, home = request.query_params, "/v1/jobs" if is_v1(request) else "/"
    count = given.get("n") or str(SHOWN)
    if not count.isdecimal() or count == "0":
        raise ValueError(f"n={count} is not a number of jobs: use 1 to {MOST_SHOWN}")
    limit, sort = min(int(count), MOST_SHOWN), given.get("sort") or "-created"
    by, is_descending = Column.parse(sort.removeprefix("-")), sort.startswith("-")
    is_filtered = any(given.get(each) for each in FILTERS[:-1])
    found, total = await asyncio.gather(_find(site, request, limit), _total(site, request, is_filtered))
    await find_reasons(site, found)
    among = sum(job.phase not in WAITING | TERMINAL_PHASES for job in found)
    curves: _Curves = {job: {} if job.phase in WAITING else site.curves.known(job, among) for job in found}
    wanted, where_problem = [], ""
    try:
        wanted = conditions(given.get("where", ""))
        if is_v1(request) and any(each.column.kind == PARAMETER for each in wanted):
            wanted = []
            raise ValueError("a list of version 1 has no parameters: write best:METRIC, last:METRIC, name or phase")
    except ValueError as error:
        where_problem = str(error)
    jobs = [job for job in found if all(each.matches(job, curves[job]) for each in wanted)]
    known, unread = [*curves.values()], sum(each is None for each in curves.values())
    can_show, asked = offered(found, known), dict.fromkeys([*(each.column for each in wanted), by])
    notes = absent([each for each in asked if not (unread if each.is_metric else is_v1(request))], found, known)
    columns = _columns(given, found, can_show, curves)
    now = site.now()
    by = by.among(can_show)
    if problem := unsortable(by, [by.value(job, curves[job]) for job in jobs]):
        notes.append(problem)
        by, is_descending = Column.parse("created"), True
    jobs = order(jobs, lambda job: by.value(job, curves[job]), is_descending=is_descending)
    rows = [JobRow.of(job, is_v1(request), now, site.reasons.get(job.id, "")) for job in jobs]
    return {
        "title": "Jobs",
        "rows": rows,
        "curves": curves,
        "is_v1": is_v1(request),
        "phases": [*STATUS_NUMBERS] if is_v1(request) else PHASES,
        "given": given,
        "sort": by.key,
        "is_descending": is_descending,
        "sorts": {
            column.key: address(
                home, given, sort="-" * (not is_descending if column == by else column.is_largest_best) + column.key
            )
            for column in [*map(Column.parse, FIELDS), *columns]
        },
        "columns": columns,
        "offered": [*can_show, *(column for column in columns if column not in can_show)],
        "usual_columns": address(home, given, column=None) if "column" in given else "",
        "kept": [each for each in given.multi_items() if each[0] != "after" and (each[1] or each[0] == "column")],
        "count": _count_text(len(rows), len(found), limit, total, bool(wanted)),
        "unread": unread,
        "notes": notes,
        "where_problem": where_problem,
        "is_filtered": total != 0 and (is_filtered or bool(wanted)),
        "unfiltered": address(home, given, **dict.fromkeys(FILTERS)),
        "longest": max((row.total for row in rows), default=None),
        "more": address(home, given, n=str(min(2 * limit, MOST_SHOWN))) if len(found) == limit else "",
    }


async def _find(site: Site, request: Request, limit: int) -> Sequence[AsyncJobHandle]:
    """The newest jobs that the service finds."""
    given = request.query_params
    name = given.get("name") or None
    if is_v1(request):
        if (status := given.get("status")) and status not in STATUS_NUMBERS:
            raise ValueError(f"{status} is not a status of a job: use {', '.join(STATUS_NUMBERS)}")
        return await site.ma.v1_jobs.list(name=name, status=STATUS_NUMBERS[status] if status else None, limit=limit)
    tag, equals, value = given.get("tag", "").partition("=")
    if equals and not tag:
        raise ValueError(f"={value} is not a tag: write key=value, or the key alone for any value")
    return await site.ma.jobs.list(
        name=name,
        phase=cast("list[Phase]", [phase for phase in given.getlist("phase") if phase]),
        tags={tag: value or None} if tag else None,
        experiment=given.get("experiment") or None,
        limit=limit,
    )


async def _total(site: Site, request: Request, is_filtered: bool) -> int | None:
    """How many jobs a filter chooses from; None without a filter, and if the service does not say it."""
    if not is_filtered:
        return None
    with suppress(*PROBLEMS):
        if is_v1(request):
            versions = await site.ma.v1.training_jobs.list_training_jobs(per_page=1)
            return read(lambda: versions.job_total_count, int)
        jobs = await site.ma.v2.training_jobs.list_training_jobs({"limit": 1})
        return read(lambda: jobs.total, int)
    return None


def _columns(
    given: QueryParams, jobs: Sequence[AsyncJobHandle], can_show: Sequence[Column], curves: _Curves
) -> list[Column]:
    """The columns that the address names, but for fields, which are always shown; else those that most jobs have."""
    if "column" in given:
        named = dict.fromkeys(Column.parse(key).among(can_show) for key in given.getlist("column") if key)
        return [column for column in named if column.kind]

    def missing(column: Column) -> int:
        return sum(column.value(job, curves[job]) is None for job in jobs)

    parameters = [c for c in can_show if not c.is_metric]
    metrics = [c for c in can_show if c.is_metric and (c.kind == "best" or Column("best", c.name) not in can_show)]
    return sorted(parameters, key=missing)[:MOST_PARAMETERS] + sorted(metrics, key=missing)[:MOST_METRICS]


def _count_text(shown: int, found: int, limit: int, total: int | None, is_searched: bool) -> str:
    """How many jobs are in the list, of how many; `total` is None if nothing but `where` filters."""
    jobs = counted(total if total is not None else found, "job")
    if found == limit:  # there may be more
        jobs = f"the newest {counted(found, 'job')}{'' if total is None else ' found'}"
    if not is_searched and (total is None or found == limit):
        return jobs[:1].upper() + jobs[1:]
    return f"{shown} of {jobs} {'matches' if shown == 1 else 'match'}"


def address(path: str, given: QueryParams, **changed: str | None) -> str:
    """The address with other values of some members; those without one are left out."""
    kept = [(name, value) for name, value in given.multi_items() if name not in {*changed, "after"}]
    query = urlencode([*kept, *((name, value) for name, value in changed.items() if value is not None)])
    return f"{path}?{query}" if query else path


async def find_reasons(site: Site, jobs: Iterable[AsyncJobHandle]) -> None:
    """Learn why jobs failed, a few at a time: each costs three requests. The next update of the page looks up more."""
    unknown = [job for job in jobs if job.phase in (FAILED, ABNORMAL) and job.id not in site.reasons]

    async def find_reason(job: AsyncJobHandle) -> None:
        try:
            site.reasons[job.id] = (await job.explain()).text
        except PROBLEMS:
            site.reasons[job.id] = ""  # the exit code is shown

    await asyncio.gather(*map(find_reason, unknown[:REASONS_AT_ONCE]))


PAGES = tuple(Page(path, "jobs.html", load_jobs, ("rows", "columns", "count")) for path in ("/", "/v1/jobs"))

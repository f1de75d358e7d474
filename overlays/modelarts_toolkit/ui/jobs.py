"""The list of jobs."""

import asyncio
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import cast

from starlette.requests import Request

from modelarts_api.phases import ABNORMAL, FAILED, PHASES, STATUS_NUMBERS, Phase
from modelarts_toolkit.jobs._async.handles import AsyncJobHandle
from modelarts_toolkit.ui.job_row import JobRow, is_v1
from modelarts_toolkit.ui.problems import PROBLEMS
from modelarts_toolkit.ui.site import Context, Page, Site

SHOWN = 50  # jobs of a list
MOST_SHOWN = 1000
SORTS = {"created": "created_at", "name": "name", "phase": "phase", "ran": "running_time"}
REASONS_AT_ONCE = 5


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
    now = site.now()
    rows = [JobRow.of(job, is_v1(request), now, site.reasons.get(job.id, "")) for job in found]
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


PAGES = (
    Page("/", "jobs.html", load_jobs, ("rows",)),
    Page("/v1/jobs", "jobs.html", load_jobs, ("rows",)),
)

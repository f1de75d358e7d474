"""Several jobs beside each other: what differs, their metrics, and the curves of each metric in one picture."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from itertools import takewhile
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request

from modelarts_toolkit.curves.charts import curves_chart
from modelarts_toolkit.jobs._async.handles import AsyncJobHandle
from modelarts_toolkit.jobs.comparison import Comparison
from modelarts_toolkit.texts import counted, distinct_prefixes
from modelarts_toolkit.ui.job_row import JobRow, find, is_v1, run_records
from modelarts_toolkit.ui.jobs import find_reasons
from modelarts_toolkit.ui.problems import is_job_missing
from modelarts_toolkit.ui.site import Context, Page, Site

MOST_COMPARED = 10
FIRST_WAIT_S = 1.0  # for logs that were not read yet; the page gets what is in longer ones when it is known


async def load_comparison(site: Site, request: Request) -> Context:
    """The jobs of an address, the newest first; those that were deleted are named only."""
    given = list(dict.fromkeys(request.query_params.getlist("job")))
    keys = given if len(given) <= MOST_COMPARED else []
    answers = await asyncio.gather(*(find(site, request, key) for key in keys), return_exceptions=True)
    found = {job.id: (key, job) for key, job in zip(keys, answers, strict=True) if isinstance(job, AsyncJobHandle)}
    errors = {key: error for key, error in zip(keys, answers, strict=True) if isinstance(error, BaseException)}
    for error in errors.values():
        if not (found and is_job_missing(error)):
            raise error
    if not 2 <= len(given) <= MOST_COMPARED:
        raise ValueError(
            f"{counted(len(given), 'job')} cannot be compared: select 2 to {MOST_COMPARED} jobs in the list of jobs"
        )
    jobs = sorted((job for _, job in found.values()), key=lambda job: str(job.created_at), reverse=True)
    started = [job for job in jobs if job.started_at]
    await asyncio.gather(find_reasons(site, jobs), site.curves.wait_for_new(started, FIRST_WAIT_S))
    known = [site.curves.known(job) if job.started_at else {} for job in jobs]
    comparison = Comparison(
        tuple(jobs), tuple(curves or {} for curves in known), tuple(site.reasons.get(job.id, "") for job in jobs)
    )
    times, ids = Counter(job.name for job in jobs), distinct_prefixes(job.id for job in jobs)
    names = [job.name if times[job.name] == 1 else f"{job.name} ({ids[job.id]})" for job in jobs]
    others = {job.id: [("job", key) for key, other in found.values() if other is not job] for job in jobs}
    return {
        "title": "Compare",
        "comparison": comparison,
        "rows": [JobRow.of(job, is_v1(request), site.now()) for job in jobs],
        "names": names,
        "without": [f"?{urlencode(others[job.id])}" if len(jobs) > 2 else "" for job in jobs],
        "gone": [*errors],
        "unread": [curves is None for curves in known],
        "problems": {name: said for name, job in zip(names, jobs, strict=True) if (said := site.curves.problem(job))},
        "settings": {name: without_common_folder(values) for name, values in comparison.settings.items()},
        "charts": [
            curves_chart(metric, dict(zip(names, curves, strict=True)), [len(run_records(job)) for job in jobs])
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


PARTS = ("compared", "compared_curves")
PAGES = tuple(Page(f"{prefix}/compare", "compare.html", load_comparison, PARTS) for prefix in ("", "/v1"))

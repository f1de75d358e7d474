"""Several jobs beside each other: what differs, and the curves of each metric in one picture."""

from collections import Counter
from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from starlette.requests import Request

from modelarts_toolkit.curves.charts import curves_chart
from modelarts_toolkit.texts import distinct_prefixes
from modelarts_toolkit.ui.job_row import is_v1, url_of
from modelarts_toolkit.ui.site import Context, Page, Site

MOST_COMPARED = 10


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
    Page("/compare", "compare.html", load_comparison),
    Page("/v1/compare", "compare.html", load_comparison),
)

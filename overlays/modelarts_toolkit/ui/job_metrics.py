"""What the tab with the metrics of a job shows: its own curves, and the use of its nodes."""

import asyncio
from contextlib import suppress

from modelarts_toolkit.curves.charts import own_charts, usage_charts
from modelarts_toolkit.jobs._async.handles import AsyncJobHandle
from modelarts_toolkit.jobs._async.jobs import AsyncJob
from modelarts_toolkit.jobs.tables import usage_series
from modelarts_toolkit.ui.job_row import run_records
from modelarts_toolkit.ui.site import Context, Site

FIRST_WAIT_S = 0.5  # for a log that was not read yet; the page gets the curves of a longer one when they are known


async def load_metrics(site: Site, job: AsyncJobHandle) -> Context:
    """The charts of a job; `is_reading` while its log is read for the first time."""
    rows = await job.metrics() if isinstance(job, AsyncJob) else ()
    if site.curves.known(job) is None:
        with suppress(TimeoutError):
            async with asyncio.timeout(FIRST_WAIT_S):
                await site.curves.of(job)
    own = site.curves.known(job)
    return {
        "own": own_charts(own or {}, attempts=max(len(run_records(job)), 1)),
        "is_reading": own is None,
        "log_problem": site.curves.problem(job),
        "usage": usage_charts(usage_series(rows)),
    }

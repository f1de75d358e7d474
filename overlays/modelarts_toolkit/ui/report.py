"""The page of a job as one file without scripts, which needs no network: verdict, curves, log and request."""

from collections import deque

from markupsafe import Markup

from modelarts_toolkit.curves.charts import own_charts, usage_charts
from modelarts_toolkit.jobs._sync.handles import JobHandle
from modelarts_toolkit.jobs._sync.jobs import Job
from modelarts_toolkit.jobs.tables import usage_series
from modelarts_toolkit.jobs.trials import is_search
from modelarts_toolkit.texts import last_state
from modelarts_toolkit.ui.job import summary, trials, ways
from modelarts_toolkit.ui.site import FOLDER, render

STYLES = ("page", "job", "chart", "log")


def report(job: JobHandle, most_lines: int) -> str:
    """The HTML, with the last `most_lines` of the log; version 1 has no request, no stages and no use of nodes."""
    curves = job.curves()
    charts = own_charts(curves)
    lines, count = deque[str](maxlen=most_lines), 0
    for count, line in enumerate(job.logs(all_tasks=len(job.tasks) > 1), 1):  # noqa: B007 - the last one counts
        lines.append(last_state(line))
    now, stages = job._connection._network.time, job.stages() if isinstance(job, Job) else ()
    context = {
        **summary(job, job.explain(), stages, curves, now),
        "style": Markup("".join((FOLDER / "static" / f"{name}.css").read_text("utf-8") for name in STYLES)),  # noqa: S704
        "made_at": now,
        "extras": ({}, {}),
        "may_write": False,
        "charts": charts,
        "log_lines": lines,
        "first_line": count - len(lines) + 1,
        "trials": (),
        "ways": {},
    }
    if isinstance(job, Job):
        charts += usage_charts(usage_series(job.metrics()))
        context["ways"] = ways(job.name or job.id, job.as_request())
        context |= trials(job.details, job.trials()) if is_search(job.details) else {}
    return render("report.html", context)

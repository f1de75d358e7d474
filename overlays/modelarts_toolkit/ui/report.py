"""The page of a job as one file without scripts, which needs no network: verdict, curves, log and request."""

from collections import deque
from typing import TYPE_CHECKING

from markupsafe import Markup

from modelarts_toolkit.curves.charts import own_charts, usage_charts
from modelarts_toolkit.jobs._sync.jobs import Job
from modelarts_toolkit.jobs.columns import metrics_of
from modelarts_toolkit.jobs.state import COMPLETED
from modelarts_toolkit.jobs.tables import usage_series
from modelarts_toolkit.jobs.trials import is_search
from modelarts_toolkit.texts import last_state
from modelarts_toolkit.ui.job import remedy_parts, trials, ways
from modelarts_toolkit.ui.job_row import JobRow, run_records
from modelarts_toolkit.ui.site import FOLDER, render
from modelarts_toolkit.ui.stages import StageRow, stage_rows

if TYPE_CHECKING:
    from modelarts_toolkit.jobs._sync.handles import JobHandle

STYLES = ("page", "job", "chart", "log")


def report(job: "JobHandle", most_lines: int) -> str:
    """The HTML, with the last `most_lines` of the log; version 1 has no request, no stages and no use of nodes."""
    verdict, curves = job.explain(), job.curves()
    charts = own_charts(curves)
    lines, count = deque[str](maxlen=most_lines), 0
    for count, line in enumerate(job.logs(all_tasks=len(job.tasks) > 1), 1):  # noqa: B007 - the last one counts
        lines.append(last_state(line))
    is_v1, now = not isinstance(job, Job), job._connection._network.time
    context = {
        "title": job.name or job.id,
        "style": Markup("".join((FOLDER / "static" / f"{name}.css").read_text("utf-8") for name in STYLES)),  # noqa: S704
        "made_at": now,
        "job": job,
        "verdict": verdict,
        "remedy": remedy_parts(verdict, job),
        "results": metrics_of(job, curves) if job.phase == COMPLETED else {},
        "extras": ({}, {}),
        "records": run_records(job),
        "may_write": False,
        "is_v1": is_v1,
        "charts": charts,
        "log_lines": lines,
        "first_line": count - len(lines) + 1,
        "trials": (),
        "ways": {},
    }
    stages: list[StageRow] = []
    if isinstance(job, Job):
        charts += usage_charts(usage_series(job.metrics()))
        stages = stage_rows(job.stages(), job, now)
        context["ways"] = ways(job.name or job.id, job.as_request())
        context |= trials(job.details, job.trials()) if is_search(job.details) else {}
    context["row"] = JobRow.of(job, is_v1, now, queued=next((each.start for each in stages), None))
    context["stages"] = stages
    return render("report.html", context)

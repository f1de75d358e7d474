"""The page of a job as one file without scripts, which needs no network: verdict, curves, log and request."""

from collections import deque
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from markupsafe import Markup

from modelarts_toolkit.jobs.explain import Verdict
from modelarts_toolkit.jobs.info import JobInfo, TrainingJobInfo
from modelarts_toolkit.jobs.trials import Row

from .charts import Chart
from .job import records, stage_rows, trials, ways
from .jobs import JobRow
from .site import FOLDER, now, render

if TYPE_CHECKING:
    from modelarts_api.v2.models import Stage

STYLE = FOLDER / "static" / "page.css"


def report(
    job: JobInfo,
    verdict: Verdict,
    *,
    charts: Iterable[Chart],
    stages: "Iterable[Stage]",
    log: Iterable[str],
    most_lines: int,
    request: object = None,
    searched: Sequence[Row] = (),
) -> str:
    """The HTML; of the log the last `most_lines`; `searched` are the trials of a search.

    Version 1 has no `request` and no stages.
    """
    lines, count = deque[str](maxlen=most_lines), 0
    for count, line in enumerate(log, 1):  # noqa: B007 - the last one counts
        lines.append(line)
    is_v1 = request is None
    return render(
        "report.html",
        {
            "title": job.name or job.id,
            "style": Markup(STYLE.read_text("utf-8")),  # noqa: S704 - a file of ours
            "made_at": now(),
            "job": job,
            "row": JobRow.of(job, is_v1),
            "verdict": verdict,
            "stages": stage_rows(stages, job.phase),
            "records": records(job),
            "may_write": False,
            "is_v1": is_v1,
            "charts": list(charts),
            "log_lines": lines,
            "first_line": count - len(lines) + 1,
            **(trials(job.details, searched) if searched and isinstance(job, TrainingJobInfo) else {"trials": ()}),
            "ways": {} if is_v1 else ways(job.name or job.id, request),
        },
    )

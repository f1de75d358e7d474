"""The page of one job: verdict, timeline, log, metrics, events, outputs, request and fields; and what can be done."""

import asyncio
import pprint
import re
import shlex
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import cast

import yaml
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from modelarts_api.phases import COMPLETED
from modelarts_api.v2.models import Stage, TrainingJob
from modelarts_toolkit.curves.charts import own_charts, usage_charts
from modelarts_toolkit.curves.curves import Curve
from modelarts_toolkit.errors import ToolkitError
from modelarts_toolkit.job_requests.channels import new_run_id, output_folders
from modelarts_toolkit.job_requests.rerun import as_request
from modelarts_toolkit.jobs._async.handles import AsyncJobHandle
from modelarts_toolkit.jobs._async.jobs import AsyncJob
from modelarts_toolkit.jobs._async.v1_jobs import AsyncV1Job
from modelarts_toolkit.jobs.columns import metrics_of
from modelarts_toolkit.jobs.explain import Verdict, commands
from modelarts_toolkit.jobs.info import JobInfo, TrainingJobInfo
from modelarts_toolkit.jobs.tables import usage_series
from modelarts_toolkit.jobs.trials import Ranking, Row, is_search
from modelarts_toolkit.local.script_python import OF_JOB, ScriptPython, with_python
from modelarts_toolkit.local_emulator import PYTHON
from modelarts_toolkit.reading import present, read
from modelarts_toolkit.ui import log_feed
from modelarts_toolkit.ui.job_row import JobRow, find, is_v1, run_records, url_of
from modelarts_toolkit.ui.parallel_axes import parallel_axes, parallel_lines
from modelarts_toolkit.ui.site import Context, Page, Site
from modelarts_toolkit.ui.stages import stage_rows

TABS = ("log", "metrics", "events", "trials", "outputs", "request", "fields")
V1_TABS = ("log", "metrics", "outputs", "fields")
ACTIONS = ("stop", "delete", "rerun")
FIRST_WAIT_S = 0.5  # for a log that was not read yet; the page gets the curves of a longer one when they are known


async def load_job(site: Site, request: Request) -> Context:
    """The job with its verdict, and what its chosen tab shows."""
    job = await find(site, request)
    is_searching = isinstance(job, TrainingJobInfo) and is_search(job.details)
    tabs = [tab for tab in (V1_TABS if is_v1(request) else TABS) if tab != "trials" or is_searching]
    tab = request.query_params.get("tab") or "log"
    if tab not in tabs:
        raise ValueError(f"a job has no tab {tab}: there are {', '.join(tabs)}")
    verdict, stages, shown = await asyncio.gather(job.explain(), _stages(job), _shown(tab, site, job))
    if request.url.path.endswith("/live"):
        await site.extras.look_up(site.ma, job)
    again = output_folders(as_request(job.details)) if isinstance(job, AsyncJob) else set()
    curves = (job.phase == COMPLETED and site.curves.known(job)) or {}
    return {
        **summary(job, verdict, stages, curves, site.now()),
        "extras": site.extras.known(job),
        "shared": sorted(again & {*job.outputs().values()}),
        "tabs": tabs,
        "tab": tab,
        "most_lines": log_feed.SHOWN_LINES,
        "task": request.query_params.get("task") or (verdict.task if verdict.task in job.tasks[1:] else ""),
        **shown,
    }


async def _stages(job: AsyncJobHandle) -> Iterable[Stage]:
    return await job.stages() if isinstance(job, AsyncJob) else ()


def summary(
    job: JobInfo, verdict: Verdict, stages: Iterable[Stage], curves: Mapping[str, Curve], now: datetime
) -> Context:
    """What the head of a job's page shows, and that of its report, at this time of the service.

    Of the parts of the remedy every second is a command about the job.
    """
    named = "|".join(re.escape(commands(job.state)[name]) for name in ("rerun", "restart"))
    is_old, rows = not isinstance(job, TrainingJobInfo), stage_rows(stages, job, now)
    return {
        "title": job.name or job.id,
        "job": job,
        "is_v1": is_old,
        "row": JobRow.of(job, is_old, now, stages=rows),
        "verdict": verdict,
        "remedy": re.split(f"({named})", verdict.beside_log.remedy) if job.is_terminal else [],
        "results": metrics_of(job, curves) if job.phase == COMPLETED else {},
        "stages": rows,
        "records": run_records(job),
    }


async def _shown(tab: str, site: Site, job: AsyncJobHandle) -> Context:
    """What the tab shows; the log comes as a stream."""
    new = cast("AsyncJob", job)  # as all are that have a tab beyond V1_TABS
    match tab:
        case "metrics":
            return await metrics(site, job)
        case "events":
            return {"events": (await new.events())[::-1]}
        case "trials":
            return trials(new.details, await new.trials())
        case "outputs":
            return {"outputs": job.outputs(), "code": job.code}
        case "request":
            return {"ways": ways(job.name or job.id, as_request(new.details, run_id=_run_id(job.key)))}
        case "fields":
            return {"fields": list(members(job.details.to_dict()))}
    return {}


async def metrics(site: Site, job: AsyncJobHandle) -> Context:
    """The charts of a job; `is_reading` while its log is read for the first time."""
    rows = await job.metrics() if isinstance(job, AsyncJob) else ()
    await site.curves.wait_for_new([job], FIRST_WAIT_S)
    own = site.curves.known(job)
    return {
        "own": own_charts(own or {}, attempts=len(run_records(job))),
        "is_reading": own is None,
        "log_problem": site.curves.problem(job),
        "usage": usage_charts(usage_series(rows)),
    }


def trials(job: TrainingJob, rows: Sequence[Row]) -> Context:
    """The trials of a search, the best one first, and their parallel coordinates."""
    ranking = Ranking.of(job, rows)
    axes, found = parallel_axes(ranking), [ranking.summary(row) for row in ranking.rows]
    return {"trials": found, "best": found[0] if ranking.best else None, "axes": axes, "lines": parallel_lines(axes)}


@lru_cache
def _run_id(_job: str) -> str:
    """The same id whenever the page of a job is loaded."""
    return new_run_id()


def ways(name: str, request: object) -> Mapping[str, str]:
    """How to submit such a job, as YAML, in Python and in a shell."""
    return {
        "YAML": yaml.safe_dump(request, sort_keys=False, allow_unicode=True),
        "Python": "from modelarts_toolkit import ModelArts\n\nwith ModelArts() as ma:\n"
        f"    job = ma.jobs.submit(\n{textwrap.indent(pprint.pformat(request, sort_dicts=False), ' ' * 8)},\n"
        "        unique=True,\n    )\n    job.wait()\n",
        "Shell": f"modelarts job rerun {shlex.quote(name)}\n",
    }


def members(value: object, path: str = "") -> Iterator[tuple[str, object]]:
    """The members of a response with their paths, also those of objects in it; what is null or empty is left out."""
    if isinstance(value, Mapping):
        for name, each in value.items():
            yield from members(each, f"{path}.{name}".removeprefix("."))
    elif isinstance(value, list) and any(isinstance(each, Mapping) for each in value):
        for index, each in enumerate(value):
            yield from members(each, f"{path}[{index}]")
    elif value not in (None, "", []):
        yield path, ", ".join(map(str, value)) if isinstance(value, list) else value


async def _carry_out(action: str, site: Site, job: AsyncJobHandle) -> str:
    """Do one of ACTIONS; returns the address of the next page."""
    is_old = isinstance(job, AsyncV1Job)
    if action == "stop":
        return url_of((await job.stop()).id, is_old)
    if action == "delete":
        await job.delete()
        return "/v1/jobs" if is_old else "/"
    if is_old:
        raise ToolkitError(f"a job of version 1 cannot be run again here: use {commands(job.state)['rerun']}")
    same = cast("AsyncJob", job)
    python = read(lambda: present(same.details.metadata.annotations)[PYTHON], str)  # it goes to the same emulator
    request = with_python(same.as_request(name=job.name), ScriptPython(python, OF_JOB) if python else None)
    return url_of((await site.ma.jobs.submit(request, unique=True)).id, False)


def action_routes(site: Site) -> list[Route]:
    """Actions on a job; each responds with the address of the next page."""

    async def act(request: Request) -> Response:
        name = request.path_params["action"]
        if name not in ACTIONS:
            return JSONResponse({"problem": f"a job has no action {name}"}, 404)
        if not site.may_write:
            fact = "This page only reads from a cloud: start it with modelarts ui --allow-writes to change something."
            return JSONResponse({"problem": fact}, 403)
        return JSONResponse({"location": await _carry_out(name, site, await find(site, request))})

    return [Route(f"{prefix}/jobs/{{key}}/{{action}}", act, methods=["POST"]) for prefix in ("", "/v1")]


PAGES = tuple(Page(f"{prefix}/jobs/{{key}}", "job.html", load_job, ("summary", "tab")) for prefix in ("", "/v1"))

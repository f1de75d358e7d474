"""The queue: the jobs that run and that wait, by the kind of their nodes."""

from collections import Counter

from starlette.requests import Request

from modelarts_api.phases import PHASES, RUNNING, TERMINAL_PHASES, TERMINATING
from modelarts_toolkit.ui.job_row import JobRow
from modelarts_toolkit.ui.site import Context, Page, Site

MOST_SHOWN = 1000  # jobs
WAITING = frozenset(PHASES) - TERMINAL_PHASES - {RUNNING, TERMINATING}


async def load_queue(site: Site, _request: Request) -> Context:
    """The jobs that run and that wait, by the kind of their nodes, those that come first at the top."""
    phases = [phase for phase in PHASES if phase not in TERMINAL_PHASES]
    active = await site.ma.jobs.list(phase=phases, limit=MOST_SHOWN)
    rows = [JobRow.of(job, False, site.now()) for job in reversed(active)]
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


PAGES = (Page("/queue", "queue.html", load_queue, ("queue",)),)

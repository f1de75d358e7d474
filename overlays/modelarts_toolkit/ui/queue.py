"""The queue: the jobs that have nodes and those that wait for some, by the kind of the nodes."""

from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from starlette.requests import Request

from modelarts_api.phases import PHASES, RUNNING, TERMINAL_PHASES, TERMINATING
from modelarts_toolkit.errors import ToolkitError
from modelarts_toolkit.jobs._async.jobs import AsyncJob
from modelarts_toolkit.jobs.state import STAGES
from modelarts_toolkit.ui.job_row import JobRow
from modelarts_toolkit.ui.problems import PROBLEMS
from modelarts_toolkit.ui.site import Context, Page, Site

MOST_SHOWN = 1000  # jobs
MOST_ASKED = 20  # jobs of a cloud that wait
WAITING = frozenset(PHASES) - TERMINAL_PHASES - {RUNNING, TERMINATING}
HAVE_NODES = STAGES[1:]


async def load_queue(site: Site, _request: Request) -> Context:
    """The jobs that have nodes and those that wait, by the kind of their nodes, those that come first at the top."""
    phases = [phase for phase in PHASES if phase not in TERMINAL_PHASES]
    active = (await site.ma.jobs.list(phase=phases, limit=MOST_SHOWN))[::-1]
    queue = await _emulated(site)
    said = queue or await _said([job for job in active if job.phase in WAITING])
    held, waits = said["held"], {each["job_id"]: each for each in said["waiting"]}
    rows = [JobRow.of(job, False, site.now()) for job in active]
    running = [row for row in rows if row.job.phase not in WAITING or row.job.id in held]
    waiting = [row for row in rows if row.job.phase in WAITING and row.job.id not in held]
    waiting.sort(key=lambda row: waits.get(row.job.id, {}).get("place", MOST_SHOWN))
    ours: Counter[str] = Counter()
    for row in running:
        ours[row.flavor] += held.get(row.job.id, 0 if queue else row.nodes)
    used, nodes = (queue["used"], queue["nodes"]) if queue else (ours, {})
    return {
        "title": "Queue",
        "most_running": queue.get("running_jobs"),
        "is_known": bool(queue),
        "held": held,
        "waits": waits,
        "flavors": [
            {
                "flavor": flavor,
                "used": used.get(flavor, 0),
                "others": used.get(flavor, 0) - ours[flavor],
                "nodes": nodes.get(flavor),
                "running": [row for row in running if row.flavor == flavor],
                "waiting": [row for row in waiting if row.flavor == flavor],
            }
            for flavor in dict.fromkeys([*(row.flavor for row in rows), *nodes])
        ],
    }


async def _emulated(site: Site) -> Mapping[str, Any]:
    """What an emulator says of its nodes and of all that wait; empty if it has no queue of its own, and for a cloud."""
    with suppress(ToolkitError):
        return {} if site.emulator is None else await site.emulator.call("GET", "queue")
    return {}


async def _said(waiting: Iterable[AsyncJob]) -> Mapping[str, Any]:
    """What a service says of the first jobs that wait: which have nodes already, and the newest event of each."""
    found: dict[str, Any] = {"held": {}, "waiting": []}
    for job in [*waiting][:MOST_ASKED]:
        with suppress(*PROBLEMS):  # it may be gone
            stage, events = await job.stage(), await job.events()
            if stage is not None and stage.name in HAVE_NODES:
                found["held"][job.id] = job.nodes or 1
            found["waiting"].append({"job_id": job.id, "reason": str(events[-1].message) if events else ""})
    return found


PAGES = (Page("/queue", "queue.html", load_queue, ("queue",)),)

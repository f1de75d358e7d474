"""The queue: the jobs that have nodes and those that wait for some, by the kind of the nodes."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from starlette.requests import Request

from modelarts_api.phases import PHASES, TERMINAL_PHASES
from modelarts_toolkit.jobs._async.jobs import AsyncJob
from modelarts_toolkit.jobs.state import STAGES
from modelarts_toolkit.ui.job_row import WAITING, JobRow
from modelarts_toolkit.ui.problems import PROBLEMS
from modelarts_toolkit.ui.site import Context, Page, Site

MOST_SHOWN = 1000  # jobs
MOST_ASKED = 20  # jobs of a cloud that wait


class QueuedJob(NamedTuple):
    """A line of the queue: `place` and `reason` are of one that waits, as far as they are known."""

    row: JobRow
    nodes: int
    place: int
    reason: str


async def load_queue(site: Site, _request: Request) -> Context:
    """The jobs that have nodes and those that wait, by the kind of their nodes, those that come first at the top."""
    phases = [phase for phase in PHASES if phase not in TERMINAL_PHASES]
    active = (await site.ma.jobs.list(phase=phases, limit=MOST_SHOWN))[::-1]
    queue = await site.emulator.kept("queue") if site.emulator else {}  # some emulators have none of their own
    said = queue or await _said(job for job in active if job.phase in WAITING)
    held, waits = said["held"], {each["job_id"]: each for each in said["waiting"]}
    flavors: dict[str, tuple[list[QueuedJob], ...]] = {}
    for job in sorted(active, key=lambda job: waits.get(job.id, {}).get("place", MOST_SHOWN)):
        row, wait = JobRow.of(job, False, site.now()), waits.get(job.id, {})
        line = QueuedJob(row, held.get(job.id, row.nodes), wait.get("place", 0), wait.get("reason", ""))
        is_waiting = job.phase in WAITING and job.id not in held
        flavors.setdefault(row.flavor, ([], []))[is_waiting].append(line)
    return {
        "title": "Queue",
        "queue": queue,
        "most_running": queue.get("running_jobs"),
        "is_empty": not active,
        "flavors": {**dict.fromkeys(queue.get("nodes", {}), ([], [])), **flavors},
    }


async def _said(waiting: Iterable[AsyncJob]) -> Mapping[str, Any]:
    """What a service says of the first jobs that wait: which have nodes already, and the newest event of each."""
    found: dict[str, Any] = {"held": {}, "waiting": []}
    for job in [*waiting][:MOST_ASKED]:
        with suppress(*PROBLEMS):  # it may be gone
            stage, events = await job.stage(), await job.events()
            if stage is not None and stage.name in STAGES[1:]:
                found["held"][job.id] = job.nodes or 1
            found["waiting"].append({"job_id": job.id, "reason": str(events[-1].message or "") if events else ""})
    return found


PAGES = (Page("/queue", "queue.html", load_queue, ("queue",)),)

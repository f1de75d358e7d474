"""The queue at one moment: what holds nodes, and what waits and why."""

from __future__ import annotations

import heapq
from collections import Counter
from typing import Any

from sqlalchemy import Connection

from modelarts_emulator.engine import runs
from modelarts_emulator.engine.runs import Run
from modelarts_emulator.engine.scheduler import UNLIMITED, Capacity, Nodes, rank

MOST_OF_LINE = 1000  # waiting runs of each line


def show(connection: Connection, capacity: Capacity) -> dict[str, Any]:
    """The nodes of each flavor that are taken, those that each job has with its trials, and the jobs that wait.

    A search waits for the first of its trials that does. `place` 1 is the first of those that want a flavor.
    """
    nodes = Nodes(capacity, runs.held(connection))
    held, places = Counter[str](), Counter[str]()
    for run in runs.launched(connection):
        held[run.parent_id or run.id] += run.held_nodes
    lines = [runs.waiting(connection, line, UNLIMITED, MOST_OF_LINE) for line in runs.waiting_lines(connection)]
    waiting: dict[str, Any] = {}
    for run in heapq.merge(*lines, key=rank):
        if (job_id := run.parent_id or run.id) not in waiting:
            places[run.flavor_id] += 1
            waiting[job_id] = {"job_id": job_id, "place": places[run.flavor_id], "reason": nodes.obstacle(run)}
    return {"used": nodes.used, "held": held, "waiting": [*waiting.values()]}


def waiting_reason(connection: Connection, capacity: Capacity, run: Run) -> str:
    """Why the run waits now, or the first waiting trial of a search; empty if none waits."""
    found = [each for each in (run, *runs.trials(connection, run)) if each.is_waiting]
    return Nodes(capacity, runs.held(connection)).obstacle(min(found, key=rank)) if found else ""

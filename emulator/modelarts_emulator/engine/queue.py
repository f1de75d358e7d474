"""The queue at one moment: what holds nodes, and what waits and why."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from modelarts_emulator.engine import runs
from modelarts_emulator.engine.runs import Run
from modelarts_emulator.engine.scheduler import UNLIMITED, Capacity, Nodes, rank

MOST_OF_LINE = 1000  # waiting runs of each line


@dataclass(frozen=True, slots=True)
class Waiting:
    """A job that waits, or a search with a trial that waits; `place` 1 is the first that wants its flavor."""

    job_id: str
    flavor_id: str
    place: int
    reason: str


@dataclass(frozen=True, slots=True)
class Queue:
    """`used` has the nodes that are taken of each flavor, `held` those that each job takes with its trials."""

    used: Mapping[str, int]
    held: Mapping[str, int]
    waiting: Sequence[Waiting]

    @classmethod
    def read(cls, connection: Connection, capacity: Capacity) -> Queue:
        """The queue now; those that wait are in the order in which they start where there is room for all."""
        nodes = Nodes(capacity, runs.held(connection))
        held: Counter[str] = Counter()
        for run in runs.launched(connection):
            held[run.parent_id or run.id] += run.held_nodes
        lines = runs.waiting_lines(connection)
        in_order = heapq.merge(*(runs.waiting(connection, line, UNLIMITED, MOST_OF_LINE) for line in lines), key=rank)
        waiting: dict[str, Waiting] = {}
        places: Counter[str] = Counter()
        for run in in_order:
            if (job_id := run.parent_id or run.id) not in waiting:
                places[run.flavor_id] += 1
                waiting[job_id] = Waiting(job_id, run.flavor_id, places[run.flavor_id], nodes.obstacle(run))
        return cls(dict(nodes.used), dict(held), [*waiting.values()])


def waiting_reason(connection: Connection, capacity: Capacity, run: Run) -> str:
    """Why the run waits now, or the first waiting trial of a search; empty if none waits."""
    found = [each for each in (run, *runs.trials(connection, run)) if each.is_waiting]
    return Nodes(capacity, runs.held(connection)).obstacle(min(found, key=rank)) if found else ""

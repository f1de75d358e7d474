"""The queue at one moment: what holds nodes, and what waits and why."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection

from modelarts_emulator.engine import runs
from modelarts_emulator.engine.runs import Run
from modelarts_emulator.engine.scheduler import UNLIMITED, Capacity, Nodes, rank

MOST_OF_LINE = 1000  # waiting runs of each line


@dataclass(frozen=True, slots=True)
class Queue:
    """`used` has the nodes that are taken of each flavor, `held` those that each job takes with its trials.

    `waiting` says why a job waits, or the first waiting trial of a search: the job that comes first is the first.
    """

    used: Mapping[str, int]
    held: Mapping[str, int]
    waiting: Mapping[str, str]

    @classmethod
    def read(cls, connection: Connection, capacity: Capacity) -> Queue:
        """The queue now."""
        nodes = Nodes(capacity, runs.held(connection))
        held: Counter[str] = Counter()
        for run in runs.launched(connection):
            held[run.parent_id or run.id] += run.held_nodes
        lines = runs.waiting_lines(connection)
        in_order = heapq.merge(*(runs.waiting(connection, line, UNLIMITED, MOST_OF_LINE) for line in lines), key=rank)
        waiting: dict[str, str] = {}
        for run in in_order:
            waiting.setdefault(run.parent_id or run.id, nodes.obstacle(run))
        return cls(dict(nodes.used), held, waiting)


def waiting_reason(connection: Connection, capacity: Capacity, run: Run) -> str:
    """Why the run waits now, or the first waiting trial of a search; empty if none waits."""
    found = [each for each in (run, *runs.trials(connection, run)) if each.is_waiting]
    return Nodes(capacity, runs.held(connection)).obstacle(min(found, key=rank)) if found else ""

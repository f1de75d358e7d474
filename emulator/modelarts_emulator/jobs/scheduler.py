"""The queue: which of the jobs that wait may start now, given how many nodes there are of each flavor.

A job that does not fit keeps back those behind it that want the same flavor, and nobody else.
Sources: user manual (priorities 1 to 3; a job that the platform restarts goes first).
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Mapping

from modelarts_emulator.jobs.runs import Run

__all__ = ["Queue"]

Rank = tuple[bool, int, int, str]


class Queue:
    """Jobs that wait and jobs that have room; `nodes` by flavor (no entry: no limit), `most` jobs with room."""

    def __init__(self, nodes: Mapping[str, int], most: int) -> None:
        self._nodes = nodes
        self._most = most
        self._lines: dict[str, list[Rank]] = {}
        self._waiting: dict[str, tuple[Rank, Run]] = {}
        self._placed: dict[str, tuple[str, int]] = {}
        self._used: Counter[str] = Counter()

    def wait(self, job: Run) -> None:
        """Let the job wait for its turn; the room that it has is free again."""
        self.leave(job.id)
        rank = _rank(job)
        self._waiting[job.id] = rank, job
        heapq.heappush(self._lines.setdefault(job.flavor_id, []), rank)

    def place(self, job: Run) -> None:
        """Give the job its room, whether there is room or not: it runs already."""
        self.leave(job.id)
        self._placed[job.id] = (job.flavor_id, job.node_count)
        self._used[job.flavor_id] += job.node_count

    def leave(self, job_id: str) -> None:
        """Forget the job, and free its room."""
        self._waiting.pop(job_id, None)
        flavor_id, nodes = self._placed.pop(job_id, ("", 0))
        self._used[flavor_id] -= nodes

    def withdraw(self, job_id: str) -> None:
        """Do not let the job start any more; room that it has stays taken until it leaves."""
        self._waiting.pop(job_id, None)

    def admit(self) -> list[Run]:
        """Give room to all that can start now, first come first."""
        admitted: list[Run] = []
        while len(self._placed) < self._most:
            heads = [head for flavor_id in self._lines if (head := self._head(flavor_id)) and self._fits(head[1])]
            if not heads:
                break
            job = min(heads, key=lambda head: head[0])[1]
            self.place(job)
            admitted.append(job)
        return admitted

    def obstacle(self, job: Run) -> str:
        """Why the job has to wait."""
        if len(self._placed) >= self._most:
            return f"as many jobs run as may run at once ({self._most})"
        nodes = self._nodes.get(job.flavor_id, 0)
        if job.node_count > nodes:
            return f"it needs {job.node_count} nodes of flavor {job.flavor_id}, and there are {nodes}"
        free = nodes - self._used[job.flavor_id]
        return f"of {nodes} nodes of flavor {job.flavor_id}, {max(free, 0)} are free, and jobs before it may need them"

    def _head(self, flavor_id: str) -> tuple[Rank, Run] | None:
        line = self._lines[flavor_id]
        while line:
            head = self._waiting.get(line[0][-1])
            # One that left, or that has more nodes than there are since a restart of the emulator, bars nobody.
            if head and head[0] == line[0] and head[1].node_count <= self._nodes.get(flavor_id, head[1].node_count):
                return head
            heapq.heappop(line)
        return None

    def _fits(self, job: Run) -> bool:
        nodes = self._nodes.get(job.flavor_id)
        return nodes is None or self._used[job.flavor_id] + job.node_count <= nodes


def _rank(job: Run) -> Rank:
    return (job.attempt == 0, -job.priority, job.create_time, job.id)

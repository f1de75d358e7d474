"""Which of the runs that wait may start now, given the nodes of each flavor, and which are due at which moment.

A job that does not fit keeps back those behind it that want the same flavor, and nobody else.
Sources: user manual (priorities 1 to 3; a job that the platform restarts goes first).
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Mapping

from modelarts_emulator.jobs.phases import is_terminal
from modelarts_emulator.jobs.runs import Run

__all__ = ["Queue", "Schedule"]

Rank = tuple[bool, int, int, str]


class Queue:
    """Runs that wait and runs that have room; `nodes` by flavor (no entry: no limit), `max_running` runs with room."""

    def __init__(self, nodes: Mapping[str, int], max_running: int) -> None:
        self._nodes = nodes
        self._max_running = max_running
        self._lines: dict[str, list[Rank]] = {}
        self._waiting: dict[str, tuple[Rank, Run]] = {}
        self._placed: dict[str, tuple[str, int]] = {}
        self._used: Counter[str] = Counter()

    def update(self, run: Run) -> None:
        """Take the run as it is now: one that is launched has room, one that is pending waits for it."""
        self.release(run.id)
        if is_terminal(run.phase):
            return
        if run.launched:
            self.occupy(run.id, run.flavor_id, run.node_count)
        elif run.phase == "Pending":
            rank = _rank(run)
            self._waiting[run.id] = rank, run
            heapq.heappush(self._lines.setdefault(run.flavor_id, []), rank)

    def occupy(self, run_id: str, flavor_id: str, node_count: int) -> None:
        """Give the run this room, whether there is room or not: its processes run already."""
        self.release(run_id)
        self._placed[run_id] = (flavor_id, node_count)
        self._used[flavor_id] += node_count

    def release(self, run_id: str) -> None:
        """Forget the run, and free its room."""
        self._waiting.pop(run_id, None)
        flavor_id, nodes = self._placed.pop(run_id, ("", 0))
        self._used[flavor_id] -= nodes

    def withdraw(self, run_id: str) -> None:
        """Do not let the run start any more; room that it has stays taken until it is released."""
        self._waiting.pop(run_id, None)

    def admit(self) -> list[Run]:
        """Give room to all that can start now, first come first."""
        admitted: list[Run] = []
        while len(self._placed) < self._max_running:
            heads = [head for flavor_id in self._lines if (head := self._head(flavor_id)) and self._fits(head[1])]
            if not heads:
                break
            run = min(heads, key=lambda head: head[0])[1]
            self.occupy(run.id, run.flavor_id, run.node_count)
            admitted.append(run)
        return admitted

    def obstacle(self, job: Run) -> str:
        """Why the job has to wait."""
        if len(self._placed) >= self._max_running:
            return f"as many jobs run as may run at once ({self._max_running})"
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


class Schedule:
    """One moment per job, in any unit; setting, discarding and taking cost O(log n)."""

    def __init__(self) -> None:
        self._moments: dict[str, float] = {}
        self._heap: list[tuple[float, str]] = []

    def __bool__(self) -> bool:
        return bool(self._moments)

    def set(self, job_id: str, moment: float) -> None:
        """Make the job due at this moment instead of any other."""
        if self._moments.get(job_id) != moment:
            self._moments[job_id] = moment
            heapq.heappush(self._heap, (moment, job_id))

    def discard(self, job_id: str) -> None:
        """Forget the job, if it is known."""
        self._moments.pop(job_id, None)

    def next(self) -> float | None:
        """The earliest moment, or None if there is none."""
        while self._heap:
            moment, job_id = self._heap[0]
            if self._moments.get(job_id) == moment:
                return moment
            heapq.heappop(self._heap)  # it was discarded, or given another moment
        return None

    def take(self, now: float) -> list[str]:
        """Forget the jobs that are due by now, and return them in the order of their moments."""
        due = []
        while (moment := self.next()) is not None and moment <= now:
            _, job_id = heapq.heappop(self._heap)
            del self._moments[job_id]
            due.append(job_id)
        return due

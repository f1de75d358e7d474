"""Which of the runs that wait may start now, given the nodes of each flavor.

A job that does not fit keeps back those behind it that want the same flavor, and nobody else.
Sources: user manual (priorities 1 to 3; a job that the platform restarts has priority).
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Mapping

from modelarts_emulator.engine.runs import Run


class Nodes:
    """The nodes of each flavor, and how many of them runs hold; at most `max_running` runs at once.

    The nodes of a flavor that is not in `total` are not limited.

    `held` has flavor and number of nodes for each active run. A removed run whose processes do not end has no nodes
    there, so that it delays nobody.
    """

    def __init__(self, total: Mapping[str, int], max_running: int, held: Iterable[tuple[str, int]]) -> None:
        self._total = total
        self._max_running = max_running
        self._used: Counter[str] = Counter()
        self.running = 0
        for flavor_id, count in held:
            self._used[flavor_id] += count
            self.running += 1

    @property
    def free_runs(self) -> int:
        """How many more runs may start."""
        return max(self._max_running - self.running, 0)

    def most(self, flavor_id: str) -> int:
        """How many nodes of the flavor there are."""
        return self._total.get(flavor_id, 2**31 - 1)

    def has_free(self, flavor_id: str) -> bool:
        """Whether the flavor has a node that no run holds."""
        return self._used[flavor_id] < self.most(flavor_id)

    def admit(self, lines: Iterable[Iterable[Run]]) -> list[Run]:
        """Give nodes to those that can start now; each line has the runs of one flavor, those first that come first."""
        admitted: list[Run] = []
        full: set[str] = set()
        for run in heapq.merge(*lines, key=_rank):
            if not self.free_runs:
                break
            if run.flavor_id in full or self._used[run.flavor_id] + run.node_count > self.most(run.flavor_id):
                full.add(run.flavor_id)
                continue
            self._used[run.flavor_id] += run.node_count
            self.running += 1
            admitted.append(run)
        return admitted

    def obstacle(self, job: Run) -> str:
        """Why the job has to wait."""
        if not self.free_runs:
            return f"as many jobs run as may run at once ({self._max_running})"
        nodes = self._total.get(job.flavor_id, 0)
        if job.node_count > nodes:
            return f"it needs {job.node_count} nodes of flavor {job.flavor_id}, and there are {nodes}"
        free = nodes - self._used[job.flavor_id]
        return f"of {nodes} nodes of flavor {job.flavor_id}, {max(free, 0)} are free, and jobs before it may need them"


def _rank(job: Run) -> tuple[bool, int, int, str]:
    return (job.attempt == 0, -job.priority, job.create_time, job.id)

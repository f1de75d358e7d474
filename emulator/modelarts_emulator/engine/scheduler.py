"""Which of the runs that wait may start now, given the nodes of each flavor and the machine's accelerators.

A job for which there are too few nodes keeps back those behind it that want the same flavor, one for which there are
too few accelerators those that want any of that kind, and nobody else.
Sources: user manual (priorities 1 to 3; a job that the platform restarts has priority).
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from modelarts_emulator.engine.runs import Held, Run
from modelarts_emulator.execution.devices import Device, Kind, Pool, Wanted

UNLIMITED = 2**31 - 1  # nodes


@dataclass(frozen=True, slots=True)
class Capacity:
    """What runs may take: at most `max_running` run at once, with so many `nodes` of a flavor, by default any number.

    The nodes of a flavor in `wanted` have so many accelerators of a kind each, which the pool gives out.
    """

    max_running: int
    nodes: Mapping[str, int] = field(default_factory=dict)
    pool: Pool = field(default_factory=Pool)
    wanted: Mapping[str, Wanted] = field(default_factory=dict)


class Accelerators:
    """Those of a pool, and how many tasks have each of them."""

    def __init__(self, pool: Pool, ids: Iterable[str]) -> None:
        self._pool = pool
        self._tasks = Counter(ids)

    def free(self, kind: Kind) -> list[Device]:
        """Those that have room for another task, first those with the fewest."""
        free = [each for each in self._pool.of(kind) if self._tasks[each.id] < self._pool.tasks_per_device]
        return sorted(free, key=lambda each: self._tasks[each.id])

    def take(self, wanted: Wanted, node_count: int) -> Sequence[Sequence[Device]]:
        """So many different ones for each node; nothing is taken, and returned, if there are too few."""
        kind, count = wanted
        before, taken = self._tasks.copy(), []
        for _ in range(node_count):
            own = self.free(kind)[:count]
            if len(own) < count:
                self._tasks = before
                return ()
            self._tasks.update(each.id for each in own)
            taken.append(own)
        return taken

    def obstacle(self, wanted: Wanted, node_count: int) -> str:
        """Why nodes that want so many have to wait."""
        kind, count = wanted
        found, places = self._pool.of(kind), self._pool.tasks_per_device
        total = _counted(len(found), kind)
        needs = f"it needs {_counted(count, kind)}" + (f" on each of {node_count} nodes" if node_count > 1 else "")
        if node_count > self._pool.most_nodes(wanted):
            return f"{needs}, and there {'is' if len(found) == 1 else 'are'} {total}"
        free = sum(max(places - self._tasks[each.id], 0) for each in found)
        what = total if places == 1 else f"{places} places on each of {total}"
        return f"{needs}; of {what}, {free} {'is' if free == 1 else 'are'} free, and jobs before it may need them"


class Nodes:
    """The nodes of each flavor and the accelerators, and what of them runs hold.

    A removed run whose processes do not end holds no nodes, so that it delays nobody, but its accelerators.
    """

    def __init__(self, capacity: Capacity, held: Sequence[Held]) -> None:
        self._capacity = capacity
        self._used: Counter[str] = Counter()
        for each in held:
            self._used[each.flavor_id] += each.nodes
        self.running = sum(each.nodes > 0 for each in held)
        self._accelerators = Accelerators(capacity.pool, (name for each in held for name in each.devices))

    @property
    def free_runs(self) -> int:
        """How many more runs may start."""
        return max(self._capacity.max_running - self.running, 0)

    def _nodes(self, flavor_id: str) -> int:
        """How many nodes of the flavor there are, however many accelerators there are for them."""
        return self._capacity.nodes.get(flavor_id, UNLIMITED)

    def most(self, flavor_id: str) -> int:
        """How many nodes of the flavor one run can have."""
        wanted = self._capacity.wanted.get(flavor_id)
        return min(self._nodes(flavor_id), self._capacity.pool.most_nodes(wanted) if wanted else UNLIMITED)

    def has_free(self, flavor_id: str) -> bool:
        """Whether the flavor has a node that no run holds, and any accelerator of its kind is free."""
        wanted = self._capacity.wanted.get(flavor_id)
        has_accelerator = wanted is None or bool(self._accelerators.free(wanted[0]))
        return has_accelerator and self._used[flavor_id] < self._nodes(flavor_id)

    def admit(self, lines: Iterable[Iterable[Run]]) -> list[Run]:
        """Launch those that can start now; each line has the runs of one flavor, those first that come first."""
        admitted: list[Run] = []
        full: set[str] = set()  # flavors, and kinds of accelerators
        for run in heapq.merge(*lines, key=_rank):
            if not self.free_runs:
                break
            wanted = self._capacity.wanted.get(run.flavor_id)
            if run.flavor_id in full or (wanted and wanted[0] in full):
                continue
            if self._used[run.flavor_id] + run.node_count > self._nodes(run.flavor_id):
                full.add(run.flavor_id)
                continue
            devices = self._accelerators.take(wanted, run.node_count) if wanted else ()
            if wanted and not devices:
                full.add(wanted[0])
                continue
            self._used[run.flavor_id] += run.node_count
            self.running += 1
            run.launch(devices)
            admitted.append(run)
        return admitted

    def obstacle(self, job: Run) -> str:
        """Why the job has to wait."""
        if not self.free_runs:
            return f"as many jobs run as may run at once ({self._capacity.max_running})"
        nodes = self._nodes(job.flavor_id)
        if job.node_count > nodes:
            return f"it needs {job.node_count} nodes of flavor {job.flavor_id}, and there are {nodes}"
        free = nodes - self._used[job.flavor_id]
        if (wanted := self._capacity.wanted.get(job.flavor_id)) and free >= job.node_count:
            return self._accelerators.obstacle(wanted, job.node_count)
        return f"of {nodes} nodes of flavor {job.flavor_id}, {max(free, 0)} are free, and jobs before it may need them"


def _rank(job: Run) -> tuple[bool, int, int, str]:
    return (job.attempt == 0, -job.priority, job.create_time, job.id)


def _counted(number: int, kind: Kind) -> str:
    return f"{number} {kind.upper()}{'' if number == 1 else 's'}"

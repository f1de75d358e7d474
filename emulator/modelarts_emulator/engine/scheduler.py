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
from modelarts_emulator.execution.devices import Device, Kind, Pool

UNLIMITED = 2**31 - 1  # nodes


@dataclass(frozen=True, slots=True)
class Capacity:
    """What runs may take: at most `max_running` run at once, with so many `nodes` of a flavor, by default any number.

    The nodes of a flavor in `wanted` have so many accelerators of a kind each, which the pool gives out, if there is
    one.
    """

    max_running: int
    nodes: Mapping[str, int] = field(default_factory=dict)
    pool: Pool | None = None
    wanted: Mapping[str, tuple[Kind, int]] = field(default_factory=dict)


class Accelerators:
    """Those of a pool, and how many tasks have each of them."""

    def __init__(self, pool: Pool, ids: Iterable[str]) -> None:
        self.pool = pool
        self._tasks = Counter(ids)

    def _free(self, kind: Kind) -> list[Device]:
        """Those that have room for another task, first those with the fewest."""
        found = [each for each in self.pool.devices if each.kind == kind]
        free = [each for each in found if self._tasks[each.id] < self.pool.tasks_per_device]
        return sorted(free, key=lambda each: self._tasks[each.id])

    def has_free(self, kind: Kind) -> bool:
        """Whether any of this kind has room."""
        return bool(self._free(kind))

    def take(self, kind: Kind, count: int, node_count: int) -> Sequence[Sequence[Device]] | None:
        """So many different ones for each node; None, and nothing is taken, if there are too few."""
        before, taken = self._tasks.copy(), []
        for _ in range(node_count):
            own = self._free(kind)[:count]
            if len(own) < count:
                self._tasks = before
                return None
            self._tasks.update(each.id for each in own)
            taken.append(own)
        return taken

    def obstacle(self, kind: Kind, count: int, node_count: int) -> str:
        """Why nodes with so many of a kind have to wait."""
        name, places = kind.upper(), self.pool.tasks_per_device
        total = sum(each.kind == kind for each in self.pool.devices)
        most = self.pool.most_nodes(kind, count)
        needs = f"it needs {_counted(count, name)}" + (f" on each of {node_count} nodes" if node_count > 1 else "")
        if node_count > most:
            return f"{needs}, and this machine has {total}"
        free = sum(max(places - self._tasks[each.id], 0) for each in self.pool.devices if each.kind == kind)
        what = (
            f"of {_counted(total, name)}" if places == 1 else f"of {places} places on each of {_counted(total, name)}"
        )
        return f"{needs}; {what}, {free} {'is' if free == 1 else 'are'} free, and jobs before it may need them"


class Nodes:
    """The nodes of each flavor and the accelerators, and what of them runs hold.

    A removed run whose processes do not end holds no nodes, so that it delays nobody, but its accelerators.
    """

    def __init__(self, capacity: Capacity, held: Iterable[Held]) -> None:
        self._capacity = capacity
        self._used: Counter[str] = Counter()
        self.running = 0
        devices: list[str] = []
        for each in held:
            self._used[each.flavor_id] += each.nodes
            self.running += each.nodes > 0
            devices += each.devices
        self._accelerators = Accelerators(capacity.pool, devices) if capacity.pool is not None else None

    def _wanted(self, flavor_id: str) -> tuple[Accelerators, Kind, int] | None:
        """What nodes of the flavor take, and from where; None if these are no accelerators."""
        kind, count = self._capacity.wanted.get(flavor_id, ("gpu", 0))
        return (self._accelerators, kind, count) if self._accelerators is not None and count else None

    @property
    def free_runs(self) -> int:
        """How many more runs may start."""
        return max(self._capacity.max_running - self.running, 0)

    def _nodes(self, flavor_id: str) -> int:
        """How many nodes of the flavor there are, if there are accelerators for them."""
        return self._capacity.nodes.get(flavor_id, UNLIMITED)

    def most(self, flavor_id: str) -> int:
        """How many nodes of the flavor one run can have."""
        wanted = self._wanted(flavor_id)
        return min(self._nodes(flavor_id), wanted[0].pool.most_nodes(*wanted[1:]) if wanted else UNLIMITED)

    def has_free(self, flavor_id: str) -> bool:
        """Whether the flavor has a node that no run holds, and any accelerator of its kind is free."""
        wanted = self._wanted(flavor_id)
        return self._used[flavor_id] < self._nodes(flavor_id) and (wanted is None or wanted[0].has_free(wanted[1]))

    def admit(self, lines: Iterable[Iterable[Run]]) -> list[Run]:
        """Launch those that can start now; each line has the runs of one flavor, those first that come first."""
        admitted: list[Run] = []
        full: set[str] = set()  # flavors, and kinds of accelerators
        for run in heapq.merge(*lines, key=_rank):
            if not self.free_runs:
                break
            wanted = self._wanted(run.flavor_id)
            if run.flavor_id in full or (wanted and wanted[1] in full):
                continue
            if self._used[run.flavor_id] + run.node_count > self._nodes(run.flavor_id):
                full.add(run.flavor_id)
                continue
            devices = wanted[0].take(*wanted[1:], run.node_count) if wanted else ()
            if devices is None:
                full |= {wanted[1]} if wanted else set()
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
        if (wanted := self._wanted(job.flavor_id)) and free >= job.node_count:
            return wanted[0].obstacle(*wanted[1:], job.node_count)
        return f"of {nodes} nodes of flavor {job.flavor_id}, {max(free, 0)} are free, and jobs before it may need them"


def _rank(job: Run) -> tuple[bool, int, int, str]:
    return (job.attempt == 0, -job.priority, job.create_time, job.id)


def _counted(number: int, name: str) -> str:
    return f"{number} {name}{'' if number == 1 else 's'}"

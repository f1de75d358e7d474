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

from modelarts_emulator.engine.runs import Held, Line, Run
from modelarts_emulator.execution.devices import Device, Pool

UNLIMITED = 2**31 - 1  # nodes


@dataclass(frozen=True, slots=True)
class Capacity:
    """What runs may take: at most `max_running` run at once, with so many `nodes` of a flavor, by default any number.

    Accelerators of a kind of which the pool has none are names only, and not counted.
    """

    max_running: int
    nodes: Mapping[str, int] = field(default_factory=dict)
    pool: Pool = field(default_factory=Pool)


class Accelerators:
    """Those of a pool, and how many tasks have each of them."""

    def __init__(self, pool: Pool, ids: Iterable[str]) -> None:
        self._pool = pool
        self._tasks = Counter(ids)
        self.has_others = bool(self._tasks.keys() - {each.id for each in pool.devices})
        """Whether a run has one that the pool of an earlier emulator had."""

    def free(self, kind: str) -> list[Device]:
        """Those that have room for another task, first those with the fewest."""
        free = [each for each in self._pool.of(kind) if self._tasks[each.id] < self._pool.tasks_per_device]
        return sorted(free, key=lambda each: self._tasks[each.id])

    def take(self, run: Run) -> Sequence[Sequence[Device]]:
        """Different ones for each node, as many as the run needs; none at all if there are too few."""
        before, taken = self._tasks.copy(), []
        for _ in range(run.node_count):
            own = self.free(run.device_kind)[: run.device_count]
            if len(own) < run.device_count:
                self._tasks = before
                return ()
            self._tasks.update(each.id for each in own)
            taken.append(own)
        return taken

    def obstacle(self, run: Run, most_nodes: int) -> str:
        """Why the run, which can have so many nodes, has to wait."""
        found, places = self._pool.of(run.device_kind), self._pool.tasks_per_device
        total = _counted(len(found), run.device_kind)
        nodes = f" on each of {run.node_count} nodes" if run.node_count > 1 else ""
        needs = f"it needs {_counted(run.device_count, run.device_kind)}{nodes}"
        if run.node_count > most_nodes:
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

    def _accelerated(self, line: Line) -> int | None:
        """For how many nodes there are accelerators; None if these are not counted.

        A run that wants some, of which the pool has none, would see those that others have from an earlier emulator.
        """
        most = self._capacity.pool.most_nodes(line.device_kind, line.device_count)
        return 0 if most is None and line.device_count and self._accelerators.has_others else most

    def most(self, line: Line) -> int:
        """How many nodes one run of the line can have."""
        most = self._accelerated(line)
        return min(self._nodes(line.flavor_id), UNLIMITED if most is None else most)

    def has_free(self, line: Line) -> bool:
        """Whether the flavor has a node that no run holds, and any accelerator of the kind is free."""
        has_accelerator = self._accelerated(line) is None or bool(self._accelerators.free(line.device_kind))
        return has_accelerator and self._used[line.flavor_id] < self._nodes(line.flavor_id)

    def admit(self, lines: Iterable[Iterable[Run]]) -> list[Run]:
        """Launch those that can start now; in each line those come first that come first."""
        admitted: list[Run] = []
        full: set[str] = set()  # flavors, and kinds of accelerators
        for run in heapq.merge(*lines, key=_rank):
            if not self.free_runs:
                break
            is_accelerated = self._accelerated(run.line) is not None
            if run.flavor_id in full or (is_accelerated and run.device_kind in full):
                continue
            if self._used[run.flavor_id] + run.node_count > self._nodes(run.flavor_id):
                full.add(run.flavor_id)
                continue
            devices = self._accelerators.take(run) if is_accelerated else ()
            if is_accelerated and not devices:
                full.add(run.device_kind)
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
        if (most := self._accelerated(job.line)) is not None and free >= job.node_count:
            return self._accelerators.obstacle(job, most)
        return f"of {nodes} nodes of flavor {job.flavor_id}, {max(free, 0)} are free, and jobs before it may need them"


def _rank(job: Run) -> tuple[bool, int, int, str]:
    return (job.attempt == 0, -job.priority, job.create_time, job.id)


def _counted(number: int, kind: str) -> str:
    return f"{number} {kind.upper()}{'' if number == 1 else 's'}"

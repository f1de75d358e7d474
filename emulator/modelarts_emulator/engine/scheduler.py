"""Which of the runs that wait may start now, given the nodes of each flavor and the machine's accelerators.

A job for which there are too few nodes keeps back those behind it that want the same flavor, one for which there are
too few accelerators those that want any of that kind, and nobody else.
Sources: user manual (priorities 1 to 3; a job that the platform restarts has priority).
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field

from modelarts_emulator.engine.runs import Held, Line, Run
from modelarts_emulator.execution.devices import Device

UNLIMITED = 2**31 - 1  # nodes
LOCAL = "local."
"""The beginning of the flavors that are made of the machine."""


@dataclass(frozen=True, slots=True)
class Pool:
    """The accelerators that an emulator gives out, each to `tasks_per_device` tasks at once.

    Those of a kind of which there are none are names only, and not counted. `problems` say why some are missing.
    """

    devices: tuple[Device, ...] = ()
    tasks_per_device: int = 1
    problems: tuple[str, ...] = ()

    def of(self, kind: str) -> list[Device]:
        """Those of this kind."""
        return [device for device in self.devices if device.kind == kind]

    def most_nodes(self, kind: str, count: int) -> int:
        """How many nodes with so many of a kind there can be at once; a node has no accelerator twice."""
        found = len(self.of(kind))
        return found * self.tasks_per_device // count if count <= found else 0


@dataclass(frozen=True, slots=True)
class Capacity:
    """What runs may take: `max_running` of them at most run at once; `nodes` of a flavor not named are unlimited.

    `flavors` are all that there are.
    """

    max_running: int
    nodes: Mapping[str, int] = field(default_factory=dict)
    pool: Pool = field(default_factory=Pool)
    flavors: Collection[str] = ()


class Nodes:
    """The nodes of each flavor and the accelerators, and what of them runs hold.

    A removed run whose processes do not end holds no nodes, so that it delays nobody, but its accelerators.
    """

    def __init__(self, capacity: Capacity, held: Sequence[Held]) -> None:
        self._capacity, self._pool = capacity, capacity.pool
        self.used: Counter[str] = Counter()
        for each in held:
            self.used[each.flavor_id] += each.nodes
        self.running = sum(each.nodes > 0 for each in held)
        self._tasks = Counter(device_id for each in held for device_id in each.devices)
        # Runs may have some that the pool of an earlier emulator had.
        self._has_others = bool(self._tasks.keys() - {each.id for each in self._pool.devices})

    @property
    def free_runs(self) -> int:
        """How many more runs may start."""
        return max(self._capacity.max_running - self.running, 0)

    def _nodes(self, flavor_id: str) -> int:
        """How many nodes of the flavor there are, however many accelerators there are for them."""
        return self._capacity.nodes.get(flavor_id, UNLIMITED)

    def _counts(self, line: Line) -> bool:
        """Whether accelerators of the line's kind are counted.

        A run that wants some, of which the pool has none, would see those that others have from an earlier emulator,
        or it waits for a flavor that was made of accelerators which this one does not find.
        """
        is_gone = line.flavor_id.startswith(LOCAL) and line.flavor_id not in self._capacity.flavors
        return line.device_count > 0 and (is_gone or self._has_others or bool(self._pool.of(line.device_kind)))

    def most(self, line: Line) -> int:
        """How many nodes one run of the line can have."""
        nodes = self._nodes(line.flavor_id)
        return min(nodes, self._pool.most_nodes(line.device_kind, line.device_count)) if self._counts(line) else nodes

    def has_free(self, line: Line) -> bool:
        """Whether the flavor has a node that no run holds, and any accelerator of the kind is free."""
        is_full = self._counts(line) and not self._free(line.device_kind)
        return not is_full and self.used[line.flavor_id] < self._nodes(line.flavor_id)

    def _free(self, kind: str) -> list[Device]:
        """The accelerators that have room for another task, first those with the fewest."""
        free = [each for each in self._pool.of(kind) if self._tasks[each.id] < self._pool.tasks_per_device]
        return sorted(free, key=lambda each: self._tasks[each.id])

    def admit(self, lines: Iterable[Iterable[Run]]) -> list[Run]:
        """Launch those that can start now; in each line those come first that come first."""
        admitted: list[Run] = []
        full_flavors, full_kinds = set[str](), set[str]()
        for run in heapq.merge(*lines, key=rank):
            if not self.free_runs:
                break
            if run.flavor_id in full_flavors or run.device_kind in full_kinds:
                continue
            if self.used[run.flavor_id] + run.node_count > self._nodes(run.flavor_id):
                full_flavors.add(run.flavor_id)
                continue
            if not self._take_devices(run):
                full_kinds.add(run.device_kind)
                continue
            self.used[run.flavor_id] += run.node_count
            self.running += 1
            run.launched = True
            admitted.append(run)
        return admitted

    def _take_devices(self, run: Run) -> bool:
        """Give each node different accelerators, as many as it needs; False if there are too few."""
        before, run.devices = self._tasks.copy(), []
        count = run.device_count if self._counts(run.line) else 0
        for _ in range(run.node_count if count else 0):
            own = self._free(run.device_kind)[:count]
            if len(own) < count:
                self._tasks, run.devices = before, []
                return False
            self._tasks.update(each.id for each in own)
            run.devices.append([asdict(each) for each in own])
        return True

    def obstacle(self, job: Run) -> str:
        """Why the job has to wait."""
        if not self.free_runs and job.node_count <= self.most(job.line):
            return f"as many jobs run as may run at once ({self._capacity.max_running})"
        nodes = self._nodes(job.flavor_id)
        if job.node_count > nodes:
            return f"it needs {_nodes_of(job.node_count, job)}, and there {'is' if nodes == 1 else 'are'} {nodes}"
        free = nodes - self.used[job.flavor_id]
        if self._counts(job.line) and free >= job.node_count:
            return self._too_few(job)
        if nodes == UNLIMITED:
            return "it is about to start"
        what = f"of {_nodes_of(nodes, job)}, {_free(free)}"
        if job.node_count > free:
            return f"it needs {_counted(job.node_count, 'node')}; {what}"
        return f"{what}, and jobs before it may need them"

    def _too_few(self, job: Run) -> str:
        """Why the job waits for accelerators."""
        found, places = self._pool.of(job.device_kind), self._pool.tasks_per_device
        total = _counted(len(found), job.device_kind.upper())
        nodes = f" on each of {job.node_count} nodes" if job.node_count > 1 else ""
        needs = f"it needs {_counted(job.device_count, job.device_kind.upper())}{nodes}"
        if job.node_count > self.most(job.line):
            return f"{needs}, and there {'is' if len(found) == 1 else 'are'} {total}"
        free = sum(max(places - self._tasks[each.id], 0) for each in found)
        what = total if places == 1 else f"{places} places on each of {total}"
        return f"{needs}; of {what}, {_free(free)}, and jobs before it may need them"


def rank(job: Run) -> tuple[bool, int, int, str]:
    """The place of a waiting run: the least starts first."""
    return (job.attempt == 0, -job.priority, job.create_time, job.id)


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _nodes_of(number: int, job: Run) -> str:
    return f"{_counted(number, 'node')} of flavor {job.flavor_id}"


def _free(number: int) -> str:
    return f"{max(number, 0)} {'is' if number == 1 else 'are'} free"

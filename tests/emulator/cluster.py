"""A cluster without processes, which outlives emulators: what runs there, and what no emulator may ask of it."""

from __future__ import annotations

import shutil
import threading
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from modelarts_emulator.execution.protocol import (
    Device,
    Executor,
    FailureKind,
    JobSpec,
    PollResult,
    TaskReport,
    TaskState,
    task_names,
)

STOPPED = 143
GPU = "gpu"
CARDS = {"local.gpu": 1, "local.gpu.2": 2}  # by flavor, the GPUs of a node
Rank = tuple[bool, int, str]


@dataclass
class ClusterJob:
    """The newest attempt of a job; times are in seconds since 1970."""

    flavor_id: str
    nodes: int
    attempt: int
    started_at: float | None = None
    ended_at: float | None = None
    exit_code: int | None = None
    failure: FailureKind | None = None
    is_stubborn: bool = False
    past_s: float = 0.0
    starts: int = 0
    devices: tuple[str, ...] = ()

    @property
    def is_live(self) -> bool:
        return self.ended_at is None

    def reports(self) -> list[TaskReport]:
        state: TaskState = "ended" if not self.is_live else "running" if self.started_at is not None else "preparing"
        return [
            TaskReport(
                task, state, self.started_at, self.ended_at, self.exit_code, None, self.attempt,
                self.failure if task == "worker-0" else None,
            )
            for task in task_names(self.nodes)
        ]  # fmt: skip


@dataclass
class Cluster:
    """Nodes by flavor, GPUs, the jobs on them, and `wrongs`: what an emulator has done that it must never do.

    `queue` has the ranks of jobs that wait since before the present round, by line; whoever stops one or deletes it
    takes it out first. `interruptions` are called one at a time, in the middle of the executor's calls.
    """

    capacity: Mapping[str, int]
    max_running: int
    now: float = 1_700_000_000.0
    jobs: dict[str, ClusterJob] = field(default_factory=dict)
    queue: dict[str, dict[str, Rank]] = field(default_factory=dict)
    rejected: set[str] = field(default_factory=set)
    refuses_next: bool = False
    troubled: set[str] = field(default_factory=set)
    interruptions: deque[Callable[[Machine | None], None]] = field(default_factory=deque)
    wrongs: list[str] = field(default_factory=list)
    lock: threading.RLock = field(default_factory=threading.RLock)

    @property
    def devices(self) -> list[Device]:
        """The GPUs."""
        return [Device(f"GPU-{number}", index=str(number)) for number in range(self.capacity[GPU])]

    def used(self, line: str) -> int:
        """How many nodes of the flavor, or GPUs, jobs take now; without those of GPUs that are not there any more."""
        live = [job for job in self.jobs.values() if job.is_live and line_of(job.flavor_id) == line]
        if line != GPU:
            return sum(job.nodes for job in live)
        there = {device.id for device in self.devices}
        return sum(card in there for job in live for card in job.devices)

    def begin(self, job_id: str) -> None:
        job = self.jobs.get(job_id)
        if job is not None and job.is_live and job.started_at is None:
            job.started_at = self.now
            job.starts += 1

    def end(self, job_id: str, exit_code: int, failure: FailureKind | None = None) -> None:
        job = self.jobs.get(job_id)
        if job is not None and job.is_live:
            job.ended_at, job.exit_code, job.failure = self.now, exit_code, failure
            job.past_s += self.now - job.started_at if job.started_at is not None else 0

    def submit(self, spec: JobSpec) -> None:
        job_id, flavor_id = spec.job_id, spec.resources.flavor_id
        line = line_of(flavor_id)
        waiting = self.queue.get(line, {})
        waiting.pop(job_id, None)
        if self.refuses_next:
            self.refuses_next = False
            self.rejected.add(job_id)
            raise OSError("the cluster rejects the job")
        self.rejected.discard(job_id)
        known = self.jobs.get(job_id)
        live = [job for job in self.jobs.values() if job.is_live]
        used = self.used(line)
        self._check_devices(spec, live)
        if known is not None and known.attempt >= spec.attempt:
            self.wrongs.append(f"attempt {spec.attempt} of {job_id} was submitted twice")
            return
        if known is not None and known.is_live:
            self.wrongs.append(f"attempt {spec.attempt} of {job_id} began before the one before it had ended")
        needed = spec.node_count * CARDS.get(flavor_id, 1)
        if used + needed > self.capacity[line] or len(live) >= self.max_running:
            self.wrongs.append(f"{job_id} needs {needed} of {line}: {used} are used by {live}")
        own = spec.attempt == 0, -spec.priority, job_id
        if passed := [other for other, rank in waiting.items() if rank < own]:
            self.wrongs.append(f"{job_id} with rank {own} passed {passed}")
        past_s, starts = (known.past_s, known.starts) if known is not None else (0, 0)
        self.jobs[job_id] = ClusterJob(
            flavor_id, spec.node_count, spec.attempt, is_stubborn=len(self.jobs) % 3 == 2, past_s=past_s, starts=starts,
            devices=tuple(device.id for own in spec.devices or () for device in own),
        )  # fmt: skip
        if len(self.jobs) % 2:
            self.begin(job_id)

    def _check_devices(self, spec: JobSpec, live: Sequence[ClusterJob]) -> None:
        """Each node has as many GPUs as its flavor says, none of them twice, and none that another job has."""
        own = [[device.id for device in node] for node in spec.devices or ()]
        cards = [card for node in own for card in node]
        if [len(node) for node in own] != [CARDS.get(spec.resources.flavor_id, 0)] * spec.node_count:
            self.wrongs.append(f"{spec.job_id} of {spec.resources.flavor_id} has the GPUs {own}")
        if len({*cards}) < len(cards) or any({*cards} & {*job.devices} for job in live):
            self.wrongs.append(f"{spec.job_id} has {cards}, of which some are used: {live}")


def line_of(flavor_id: str) -> str:
    """What jobs of the flavor wait for: its nodes, or GPUs."""
    return GPU if flavor_id in CARDS else flavor_id


class Machine(Executor):
    """The cluster as one emulator sees it; after `crash` this emulator does nothing any more.

    With `knows_changes` it says which jobs have changed, as executors may.
    """

    def __init__(self, cluster: Cluster, folder: Path, knows_changes: bool) -> None:
        self._cluster = cluster
        self._folder = folder
        self.is_dead = self.is_interruptible = False
        self._knows_changes = knows_changes
        self._reported: dict[str, list[TaskReport]] = {}

    def crash(self, folder: Path) -> None:
        """Keep what the emulator has stored by now in this folder, and take part in nothing from now on."""
        shutil.copytree(self._folder, folder, ignore=shutil.ignore_patterns("*emulator.json*"))
        self.is_dead = True

    def _interrupt(self) -> None:
        if self.is_dead:
            raise OSError("this emulator has crashed")
        with self._cluster.lock:
            is_quiet = not (self.is_interruptible and self._cluster.interruptions)
            interruption = None if is_quiet else self._cluster.interruptions.popleft()
        if interruption is not None:
            try:
                interruption(self)
            except BaseException as error:
                self._cluster.wrongs.append(f"{error!r}")
                raise
        if self.is_dead:
            raise OSError("this emulator has crashed")

    def submit(self, spec: JobSpec) -> str:
        self._interrupt()
        with self._cluster.lock:
            self._cluster.submit(spec)
        self._interrupt()
        return spec.job_id

    def poll(self, handles: Collection[str]) -> PollResult:
        self._interrupt()
        found: dict[str, list[TaskReport] | Exception] = {}
        with self._cluster.lock:
            for job_id in handles:
                if job_id in self._cluster.troubled:
                    self._cluster.troubled.discard(job_id)
                    found[job_id] = OSError("this job cannot be read now")
                elif (job := self._cluster.jobs.get(job_id)) is not None:
                    found[job_id] = job.reports()
        return found

    def changed_jobs(self) -> Collection[str] | None:
        if not self._knows_changes:
            return None
        with self._cluster.lock:
            now = {job_id: job.reports() for job_id, job in self._cluster.jobs.items()}
        changed = {
            job_id for job_id in now.keys() | self._reported.keys() if now.get(job_id) != self._reported.get(job_id)
        }
        self._reported = now
        return changed

    def cancel(self, handle: str) -> None:
        self._interrupt()
        with self._cluster.lock:
            if (job := self._cluster.jobs.get(handle)) is not None and not job.is_stubborn:
                self._cluster.end(handle, STOPPED)

    def delete(self, handles: Collection[str]) -> Mapping[str, Exception]:
        self._interrupt()
        with self._cluster.lock:
            for handle in handles:
                self._cluster.jobs.pop(handle, None)
        self._interrupt()
        return {}

    def logs(self, handle: str, task: str, offset: int = 0, max_bytes: int = 1 << 20) -> bytes:
        with self._cluster.lock:
            job = self._cluster.jobs.get(handle)
        if job is None or task not in task_names(job.nodes):
            raise KeyError(f"{handle}/{task}")
        return b"accuracy: 1\n"[offset : offset + max_bytes]

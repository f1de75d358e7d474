"""Jobs under random requests, failures, restarts and crashes: what holds for every engine, seen from outside only.

The emulator is used by HTTP, and runs its jobs by an executor of the test. Every round does some things without
waiting, some of them in the middle of the executor's calls, and then everything must become as it has to be.
"""

from __future__ import annotations

import itertools
import os
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.databases import NewDatabase
from tests.emulator.cluster import CARDS, GPU, Cluster, Machine, Rank, line_of
from tests.emulator.conftest import Api
from tests.emulator.tuning.conftest import make_policy

from modelarts_emulator.server import Emulator
from modelarts_toolkit.auth.access_keys import AkSkAuth

CPU_FLAVORS = ("modelarts.vm.cpu.2u", "modelarts.vm.cpu.8u")
FLAVORS = (*CPU_FLAVORS, *CARDS)
CAPACITY = dict(zip(CPU_FLAVORS, (2, 3), strict=True)) | {GPU: 3}
LESS = dict(zip(CPU_FLAVORS, (2, 1), strict=True)) | {GPU: 2}
MAX_RUNNING = 4
MAX_JOBS = 8
SETTLE_S, SETTLE_AGAIN_S = 100.0, 15.0
"""How long a round may take, and how long when a life that has failed is made smaller."""
SOAK_LIVES = int(os.environ.get("LIVES", "150"))
HOUR_S, REQUEUE_S = 3600, 1800
KEYS_S = 2 * HOUR_S  # how long temporary keys are valid
TRIALS, TRIALS_AT_ONCE = 10, 2
ID_LENGTH = 36  # of a job; that of a trial is longer
LATE_S = 60  # at most, after which the emulator notices that a task has ended

# The documented life of a job, with what may lie between two looks at it.
REACHABLE = {
    "Creating": {"Creating", "Pending", "Running", "Completed", "Failed", "Terminating", "Terminated", "Abnormal"},
    "Pending": {"Pending", "Running", "Completed", "Failed", "Terminating", "Terminated", "Abnormal"},
    "Running": {"Pending", "Running", "Completed", "Failed", "Terminating", "Terminated", "Abnormal"},
    "Terminating": {"Terminating", "Terminated", "Abnormal"},
}
TERMINAL = {"Completed", "Failed", "Terminated", "Abnormal"}
LAST_EVENT = {
    "Completed": "The job is complete.",
    "Failed": "The job failed: ",
    "Abnormal": "The job failed: ",
    "Terminated": "The job has been stopped.",
    "Terminating": "The job is being stopped",
    "Running": "The job is running",
}


Action = tuple[bool, str, int]
"""Whether it happens in the middle of a call of the executor, what happens, and a number that picks the job."""

Round = int | str | list[Action]
"""Seconds that pass, a restart of the emulator, or things that happen at once."""


@dataclass
class Known:
    """A job as the client knows it: what it asked for, and what it has seen."""

    id: str
    flavor_id: str
    nodes: int
    priority: int
    retries: int
    limit_s: int
    is_search: bool = False
    phase: str = "Creating"
    is_stopped: bool = False
    is_lost: bool = False
    waits_since: float = 0.0


class World:
    """The emulator of the moment, its client, the cluster, and the jobs that were acknowledged and not deleted."""

    def __init__(self, folder: Path, database_url: str | None, knows_changes: bool, settle_s: float) -> None:
        self.cluster = Cluster(CAPACITY, MAX_RUNNING)
        self.jobs: dict[str, Known] = {}
        self._folder, self._lives = folder, 0
        self._database_url = database_url
        self._knows_changes = knows_changes
        self._settle_s = settle_s
        self._turn = threading.RLock()
        self._keys: tuple[AkSkAuth, float] | None = None
        self.start(folder / "0")

    def start(self, folder: Path) -> None:
        self.machine = Machine(self.cluster, folder, self._knows_changes)
        self._emulator = Emulator(
            folder, executor=self.machine, keep_jobs=True, max_running_jobs=MAX_RUNNING,
            capacity={name: self.cluster.capacity[name] for name in CPU_FLAVORS}, devices=self.cluster.devices,
            clock=lambda: self.cluster.now, token_lifetime=10**9, database_url=self._database_url,
        )  # fmt: skip
        self._emulator.__enter__()
        self.api = Api(self._emulator)
        self._signed = httpx.Client(base_url=self._emulator.endpoint + self.api.project, timeout=300, verify=False)
        self.machine.is_interruptible = True

    def close(self) -> None:
        with self._turn:
            self.machine.is_interruptible = False
        self._emulator.__exit__(None, None, None)
        self.api.close()
        self._signed.close()

    def list_jobs(self) -> Any:
        """The list of jobs, asked for with temporary keys, which outlive emulators, and end when their time is over."""
        if self._keys is not None:
            auth, expires_at = self._keys
            response = self._signed.post("/training-job-searches", json={"limit": 50}, auth=auth)
            assert response.status_code == (200 if self.cluster.now < expires_at else 401), response.text
            if response.status_code == 200:
                return response.json()
        wanted = {"auth": {"identity": {"methods": ["token"], "token": {"duration_seconds": KEYS_S}}}}
        keys = self.api.http.post("/v3.0/OS-CREDENTIAL/securitytokens", json=wanted).json()["credential"]
        auth = AkSkAuth(keys["access"], keys["secret"], security_token=keys["securitytoken"])
        self._keys = auth, self.cluster.now + KEYS_S
        return self.list_jobs()

    def restart(self, capacity: Mapping[str, int]) -> None:
        self.cluster.capacity = capacity
        folder = self._emulator.data_dir
        self.close()
        self.start(folder)

    def crash(self, machine: Machine) -> None:
        """In the middle of a call of the executor: the next emulator begins with what is stored now."""
        if self._database_url is None:
            self._lives += 1
            machine.crash(self._folder / str(self._lives))

    def recover(self) -> None:
        """Start the next emulator after a crash."""
        if self.machine.is_dead:
            self.close()
            self.start(self._folder / str(self._lives))

    # What can happen; `number` picks a job.

    def act(self, kind: str, number: int, machine: Machine | None = None) -> None:
        with self._turn:  # what is acknowledged after a crash would be lost
            if self.machine.is_interruptible and not self.machine.is_dead:
                self._act(kind, number, machine)

    def _act(self, kind: str, number: int, machine: Machine | None) -> None:
        if kind == "create" and len(self.jobs) < MAX_JOBS:
            self.create(number)
        elif kind == "reject":
            self.cluster.refuses_next = True
        elif kind == "crash" and machine is not None:
            self.crash(machine)
        elif kind == "wait":
            self.cluster.now += 1
        elif self.jobs and kind not in ("create", "crash"):
            job = list(self.jobs.values())[number % len(self.jobs)]
            getattr(self, kind)(job)

    def create(self, number: int) -> None:
        if number % 6 == 5:
            self.create_search(number)
            return
        priority, retries, limit_h = 1 + number % 3, number % 5 % 3, number % 7 % 2
        flavor_id = FLAVORS[number // 4 % len(FLAVORS)]
        is_alone = flavor_id in ("modelarts.vm.cpu.2u", "local.gpu.2")
        nodes = 1 if is_alone else min(1 + number % 2, self.cluster.capacity[line_of(flavor_id)])
        body = self.api.job_body()
        body["spec"]["resource"] = {"flavor_id": flavor_id, "node_count": nodes}
        body["spec"]["schedule_policy"] = {"priority": priority}
        if limit_h:
            body["spec"]["auto_stop"] = {"time_unit": "HOURS", "duration": limit_h}
        if retries:
            names = {"job-retry-num": str(retries), "job-unconditional-retry": "true"}
            body["metadata"]["annotations"] = {f"fault-tolerance/{name}": value for name, value in names.items()}
        job_id = self.api.create_job(body)["metadata"]["id"]
        self.jobs[job_id] = Known(job_id, flavor_id, nodes, priority, retries, limit_h * HOUR_S)

    def create_search(self, number: int) -> None:
        flavor_id = CPU_FLAVORS[number // 4 % 2]
        body = self.api.job_body(policies={"auto_search": make_policy("anneal_search")})
        body["spec"]["resource"] = {"flavor_id": flavor_id, "node_count": 1}
        job_id = self.api.create_job(body)["metadata"]["id"]
        self.jobs[job_id] = Known(job_id, flavor_id, 1, 1, 0, 0, is_search=True)

    def tasks(self, job: Known) -> list[str]:
        """What the cluster has of the job: the job itself, or the trials of a search."""
        with self.cluster.lock:
            return [one for one in self.cluster.jobs if one.startswith(job.id)]

    def stop(self, job: Known) -> None:
        with self.cluster.lock:
            self.cluster.queue.get(line_of(job.flavor_id), {}).pop(job.id, None)
        response = self.api.call("POST", f"/training-jobs/{job.id}/actions", json={"action_type": "terminate"})
        if response.status_code == 202:
            job.is_stopped = True
        else:
            assert response.json()["error_code"] == "ModelArts.2796", response.text

    def delete(self, job: Known) -> None:
        with self.cluster.lock:
            self.cluster.queue.get(line_of(job.flavor_id), {}).pop(job.id, None)
        assert self.api.call("DELETE", f"/training-jobs/{job.id}").status_code == 202
        self.jobs.pop(job.id, None)

    def begin(self, job: Known) -> None:
        with self.cluster.lock:
            for one in self.tasks(job):
                self.cluster.begin(one)

    def complete(self, job: Known) -> None:
        with self.cluster.lock:
            for one in self.tasks(job):
                self.cluster.begin(one)
                self.cluster.end(one, 0)

    def stop_as_it_ends(self, job: Known) -> None:
        """What the executor reports is old when it is stored."""
        self.complete(job)
        self.stop(job)

    def fail(self, job: Known) -> None:
        with self.cluster.lock:
            for one in self.tasks(job):
                self.cluster.end(one, 7)

    def lose_node(self, job: Known) -> None:
        with self.cluster.lock:
            for one in self.tasks(job):
                self.cluster.end(one, 137, "node_lost")

    def lose_job(self, job: Known) -> None:
        """The cluster forgets a job of which the client has seen that it runs."""
        with self.cluster.lock:
            known = self.cluster.jobs.get(job.id)
            if job.phase == "Running" and not (job.is_stopped or job.is_search) and known is not None and known.is_live:
                del self.cluster.jobs[job.id]
                job.is_lost = True

    def trouble(self, job: Known) -> None:
        with self.cluster.lock:
            self.cluster.troubled.update(self.tasks(job))

    # What must hold

    def settle(self) -> None:
        """Wait until everything is as it must be; fails with what is not."""
        begin = time.monotonic()
        while True:
            self.recover()
            problems = self._interruptions_left(time.monotonic() > begin + 0.2) or self.problems()
            assert not self.cluster.wrongs, self.cluster.wrongs
            if not problems:
                break
            assert time.monotonic() < begin + self._settle_s, problems
            time.sleep(0.005)
        with self.cluster.lock:
            self.cluster.queue = {line: dict(self.waiting(line)) for line in CAPACITY}

    def _interruptions_left(self, is_late: bool) -> list[str]:
        """What waits for a call of the executor; if it is late, there may be no such call, and it happens now."""
        with self.cluster.lock:
            left = self.cluster.interruptions
            interruption = left.popleft() if left and is_late else None
        if interruption is not None:
            interruption(None)
        return [f"{len(left)} interruptions"] if left else []

    def problems(self) -> list[str]:
        """What is not yet as it must be."""
        listed = self.list_jobs()
        ids = [entry["metadata"]["id"] for entry in listed["items"]]
        found = []
        if sorted(ids) != sorted(self.jobs) or listed["total"] != len(self.jobs):
            found.append(f"the list has {ids}, not {list(self.jobs)}")
        with self.cluster.lock:
            if left := {one for one in self.cluster.jobs if one[:ID_LENGTH] not in self.jobs}:
                found.append(f"the cluster still has {left}")
        for job in list(self.jobs.values()):
            with self._turn:  # what a crashed emulator says is not believed
                found += self.look(job) if not self.machine.is_dead else ["the emulator has crashed"]
        for line in CAPACITY if not found else ():
            found += self.idle_nodes(line)
        return found

    def look(self, job: Known) -> list[str]:
        """Read the job; the phase that it has and should not have."""
        with self.cluster.lock:
            expected = self.expected_search(job) if job.is_search else self.expected(job)
        status = self.api.job(job.id).get("status")
        if status is None:
            return [f"{job.id} is gone"]
        assert status["phase"] in REACHABLE.get(job.phase, {job.phase}), (job, status)
        job.phase = status["phase"]
        if job.phase != expected:
            return [f"{job.id} is {job.phase}, not {expected}"]
        return self.event_problems(job)

    def expected(self, job: Known) -> str:
        """The phase that the job is to have as things are in the cluster."""
        run, is_over = self.cluster.jobs.get(job.id), job.phase in TERMINAL
        if is_over:
            return job.phase if self._may_end(job) else f"anything but {job.phase}"
        if job.is_stopped:
            return "Terminating" if run is not None and run.is_live else "Terminated"
        if job.id in self.cluster.rejected or job.is_lost:
            return "Abnormal"
        if run is None:
            return "Pending"
        if job.limit_s and run.started_at is not None:
            past_s = run.past_s + (self.cluster.now - run.started_at if run.is_live else 0)
            if past_s >= job.limit_s and run.is_live:
                return "Terminating"
            if past_s >= job.limit_s and run.exit_code == 143:
                return "Terminated"
        if run.is_live:
            return "Pending" if run.started_at is None else "Running"
        if run.exit_code == 0:
            return "Completed"
        if run.attempt < job.retries:
            return "Pending" if self.cluster.now - (run.ended_at or 0) < REQUEUE_S + LATE_S else "Failed"
        return "Abnormal" if run.failure else "Failed"

    def expected_search(self, job: Known) -> str:
        """The same for a search, by what its trials are."""
        trials = [self.cluster.jobs[one] for one in self.tasks(job)]
        live = [trial for trial in trials if trial.is_live]
        known = len(trials) + sum(one.startswith(job.id) for one in self.cluster.rejected)
        if len(live) > TRIALS_AT_ONCE or known > TRIALS:
            self.cluster.wrongs.append(f"{len(live)} trials of {job.id} at once, {known} in all")
        if job.is_stopped:
            return "Terminating" if live else "Terminated"
        if known == TRIALS and not live:
            return "Completed" if any(trial.exit_code == 0 for trial in trials) else "Failed"
        if job.phase in TERMINAL:
            return f"anything but {job.phase}"
        used = sum(run.nodes for run in self.cluster.jobs.values() if run.is_live and run.flavor_id == job.flavor_id)
        is_full = used >= self.cluster.capacity[job.flavor_id] or self.running >= MAX_RUNNING
        if not (live or is_full or self.waiting(job.flavor_id)):
            return "one with a trial that runs"
        return job.phase if job.phase == "Pending" or any(trial.starts for trial in trials) else "Pending"

    @property
    def running(self) -> int:
        """How many jobs and trials the cluster runs."""
        return sum(run.is_live for run in self.cluster.jobs.values())

    def _may_end(self, job: Known) -> bool:
        """Whether the job may have ended the way it has."""
        run = self.cluster.jobs.get(job.id)
        if run is not None and run.is_live:
            return False
        if job.phase == "Terminated":
            return job.is_stopped or (job.limit_s > 0 and run is not None and run.past_s >= job.limit_s)
        if job.is_stopped:
            return False
        if job.phase == "Completed":
            return run is not None and run.exit_code == 0
        if job.phase == "Abnormal":
            is_node_lost = run is not None and run.failure == "node_lost" and run.attempt == job.retries
            return job.is_lost or job.id in self.cluster.rejected or is_node_lost
        if run is None or run.exit_code in (None, 0):
            return False
        waited_s = self.cluster.now - (run.ended_at or 0)
        return (run.attempt == job.retries and not run.failure) or waited_s >= REQUEUE_S

    def waiting(self, line: str) -> list[tuple[str, Rank]]:
        """The jobs that wait for nodes of the flavor, or for GPUs, first those that come first."""
        found = []
        for job in self.jobs.values():
            run = self.cluster.jobs.get(job.id)
            is_possible = job.nodes * CARDS.get(job.flavor_id, 1) <= self.cluster.capacity[line]
            if (
                is_possible
                and not job.is_search
                and line_of(job.flavor_id) == line
                and job.phase == "Pending"
                and (run is None or not run.is_live)
            ):
                found.append((job.id, (run is None, -job.priority, job.id)))
        return sorted(found, key=lambda entry: entry[1])

    def idle_nodes(self, line: str) -> list[str]:
        """The first job that waits although there is room for it."""
        with self.cluster.lock:
            live = [run for run in self.cluster.jobs.values() if run.is_live]
            waiting = self.waiting(line)
        used, count = self.cluster.used(line), self.cluster.capacity[line]
        first = self.jobs[waiting[0][0]] if waiting else None
        needed = first.nodes * CARDS.get(first.flavor_id, 1) if first is not None else count + 1
        if len(live) < MAX_RUNNING and used + needed <= count:
            return [f"{waiting[0]} waits although only {used} of {count} are used: {line}"]
        return []

    def event_problems(self, job: Known) -> list[str]:
        """What the job's events say that contradicts its phase."""
        query = {"order": "asc", "limit": "50"}
        events = self.api.call("GET", f"/training-jobs/{job.id}/events", params=query).json()["events"]
        messages = [event["message"] for event in events if event["source"] == "Job"]
        if job.is_search:
            begins = ["The job is running", *(LAST_EVENT[phase] for phase in TERMINAL)]
            doubled = [begin for begin in begins if sum(text.startswith(begin) for text in messages) > 1]
            return [f"{job.id} ({job.phase}): {doubled} twice: {messages}"] if doubled else []
        run = self.cluster.jobs.get(job.id)
        ends = tuple(LAST_EVENT[phase] for phase in TERMINAL)
        starts, attempts = (run.starts, run.attempt) if run is not None else (0, 0)
        # What was not seen before the job was stopped, or while it waits to be restarted, is in no event.
        least = starts if job.phase == "Completed" else 0
        counts = {
            "The job has been created": (int(not job.is_stopped), 1),
            "The job is running": (least, job.retries + 1 if job.is_lost else starts),
            "The job is being restarted": (attempts, job.retries),
            ends: (int(job.phase in TERMINAL),) * 2,
        }
        wrong = []
        for begin, (low, high) in counts.items():
            if not low <= sum(text.startswith(begin) for text in messages) <= high:
                wrong.append(f"{job.id} ({job.phase}): {begin}: not {low} to {high}: {messages}")
        last = LAST_EVENT.get(job.phase, "")
        if not messages or not messages[-1].startswith(last):
            wrong.append(f"{job.id} is {job.phase}: {messages}")
        return wrong


def play(world: World, rounds: Iterable[Round]) -> None:
    """Let everything happen, then let all that runs end well, and delete all jobs."""
    for happening in rounds:
        if isinstance(happening, int):
            world.cluster.now += happening
        elif isinstance(happening, str):
            world.restart(LESS if happening == "restart with less" else CAPACITY)
        else:
            for is_interruption, kind, number in happening:
                if is_interruption:
                    world.cluster.interruptions.append(partial(world.act, kind, number))
                else:
                    world.act(kind, number)
        world.settle()
        world.cluster.now += 1
    world.restart(CAPACITY)
    world.settle()
    while any(job.phase not in TERMINAL for job in world.jobs.values()):
        for job in world.jobs.values():
            world.complete(job)
        world.settle()
    for job in list(world.jobs.values()):
        world.delete(job)
    world.settle()


KINDS = ["create", "stop", "stop_as_it_ends", "delete", "begin", "complete", "fail", "lose_node", "lose_job"]
KINDS += ["trouble", "reject", "wait"]


def actions(kinds: Sequence[str], most: int) -> st.SearchStrategy[list[Action]]:
    """Things that happen at once, some of them in the middle of the executor's calls."""
    action = st.tuples(st.sampled_from([False, False, True]), st.sampled_from(kinds), st.integers(0, 99))
    return st.lists(action, min_size=1, max_size=most)


beginnings = st.lists(st.tuples(st.just(False), st.just("create"), st.integers(0, 99)), min_size=3, max_size=6)
crashing = actions([*KINDS, "crash"], 7)
restarts = st.sampled_from(["restart", "restart with less"])
seconds = st.sampled_from([60, REQUEUE_S + LATE_S, HOUR_S])
rounds = st.lists(
    crashing | crashing | actions(KINDS, 4) | actions(["create"], 7) | restarts | seconds, min_size=8, max_size=14
)


@pytest.mark.parametrize("examples", [3, pytest.param(SOAK_LIVES, marks=pytest.mark.soak)])
@pytest.mark.timeout(3600)  # a life that fails is made smaller
def test_jobs_keep_their_promises_whatever_happens(tmp_path: Path, new_database: NewDatabase, examples: int) -> None:
    """Every job ends once and as it must, none is lost, doubled, or passed by one behind it; no node is used twice.

    The room of a job that cannot be started goes to the next one at once, also if nothing else happens.
    """
    numbers = itertools.count()
    failures: list[AssertionError] = []

    @settings(max_examples=examples)
    @given(beginnings, rounds, st.booleans())
    @example(
        [], ["restart with less", [(False, "create", 4)] * 3, [(False, "reject", 0), (False, "complete", 0)]], False
    )
    @example([(False, "create", 4)], [[(False, "fail", 0)]] * 2, False)  # a job that may be restarted once
    def live(begin: list[Action], then: list[Round], knows_changes: bool) -> None:
        settle_s = SETTLE_AGAIN_S if failures else SETTLE_S
        world = World(tmp_path / str(next(numbers)), new_database(), knows_changes, settle_s)
        try:
            play(world, [begin, *then])
        except AssertionError as error:
            failures.append(error)
            raise
        finally:
            world.close()

    live()

"""A machine with four GPUs: each card has one task at a time, whatever is killed, and the jobs behind it wait.

The scripts find out themselves whether a card is theirs alone: as long as one of its processes lives, a task holds a
lock for each card that it sees.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import signal
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
from tests.accelerators import Machine, gpus
from tests.stories.conftest import EmulatorProcess, connect, eventually, job_body, upload

from modelarts_toolkit import ApiError, ModelArts

pytestmark = pytest.mark.ci

CARDS = gpus(4)
IDS = [card.uuid for card in CARDS]
CPU_FLAVOR = "modelarts.vm.cpu.8u"
SIZES = [(1, 1), (1, 1), (1, 2), (2, 1), (2, 2), (3, 1)]
"""Cards of a node, and nodes."""
SOAK_JOBS, SOAK_KILLS = int(os.environ.get("DEVICE_JOBS", "1000")), int(os.environ.get("DEVICE_KILLS", "50"))
KINDS: Sequence[tuple[int, dict[str, Any]]] = [
    (45, {}),
    (8, {"cards": 0}),
    (8, {"codes": (3,), "phases": ("Failed",)}),
    (8, {"codes": (1, 0), "retries": 1}),
    (8, {"action": "stop", "phases": ("Terminated", "Completed")}),
    (8, {"action": "delete"}),
    (8, {"action": "lose_node", "retries": 1}),
    (4, {"action": "kill_controller", "retries": 1}),
    (4, {"action": "kill_script", "phases": ("Failed", "Completed")}),
]
"""How frequent jobs are of which `Plan` these are members."""
AHEAD = 24
"""At most so many jobs are submitted and have not begun."""
SCRIPT = """
    import fcntl, os, signal, sys, time
    begun_at = time.time()
    folder, name = os.environ["RUNS"], os.environ["NAME"]
    cards = [each for each in os.environ.get("CUDA_VISIBLE_DEVICES", "all").split(",") if each]
    log = os.open(folder + "/log", os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def note(what, moment):
        words = what, name, os.environ["VC_TASK_INDEX"], os.getpid(), os.getppid(), f"{moment:.6f}", *cards
        os.write(log, (" ".join(map(str, words)) + "\\n").encode())

    def is_held(card):
        for place in range(int(os.environ["PLACES"])):
            file = os.open(f"{folder}/{card}.{place}", os.O_WRONLY | os.O_CREAT)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return True
            except BlockingIOError:
                os.close(file)
        return False

    def end(*_):
        time.sleep(0.1)
        os._exit(143)

    if not all([is_held(card) for card in cards]):
        note("conflict", begun_at)
    signal.signal(signal.SIGTERM, end)
    note("begin", begun_at)
    if "LEAVES" in os.environ and not os.fork():
        os.setsid()
        time.sleep(600)
        os._exit(0)
    time.sleep(float(os.environ["SECONDS"]))
    with open(folder + "/log") as lines:
        attempts = sum(line.split()[:3] == ["begin", name, os.environ["VC_TASK_INDEX"]] for line in lines)
    codes = os.environ["CODES"].split(",")
    note("end", time.time())
    os._exit(int(codes[min(attempts, len(codes)) - 1]))
"""


@dataclass(frozen=True)
class Line:
    """What a task has written: that it begins or ends, or that another task holds one of its cards."""

    what: str
    name: str
    task: int
    pid: int
    controller: int
    moment: float
    cards: tuple[str, ...]


@dataclass(frozen=True)
class Plan:
    """A job: `cards` on each of its `nodes`, its exit code by attempt, and the `action` of the trial that it meets.

    An action that `is_early` does not wait until the job has begun. With `leaves`, the script leaves a process behind.
    The job may end in one of the `phases`.
    """

    name: str
    cards: int = 1
    nodes: int = 1
    seconds: float = 0.1
    codes: tuple[int, ...] = (0,)
    action: str = ""
    is_early: bool = False
    leaves: bool = False
    priority: int = 1
    phases: tuple[str, ...] = ("Completed",)
    retries: int = 0

    def body(self, runs: Path, places: int = 1) -> Any:
        values = {"RUNS": runs, "NAME": self.name, "SECONDS": self.seconds, "PLACES": places}
        values["CODES"] = ",".join(map(str, self.codes))
        environments = {name: str(value) for name, value in values.items()} | ({"LEAVES": "1"} if self.leaves else {})
        terms = {"job-retry-num": str(self.retries), "job-unconditional-retry": "true"} if self.retries else {}
        annotations = {f"fault-tolerance/{name}": value for name, value in terms.items()}
        body = job_body(self.name, nodes=self.nodes, annotations=annotations, environments=environments)
        body["spec"]["resource"]["flavor_id"] = flavor(self.cards)
        body["spec"]["schedule_policy"] = {"priority": self.priority}
        return body


def flavor(cards: int) -> str:
    """The flavor of this machine whose nodes have so many cards."""
    return {0: CPU_FLAVOR, 1: "local.gpu"}.get(cards, f"local.gpu.{cards}")


def draw(number: int, chance: random.Random) -> Plan:
    """A job of some kind."""
    cards, nodes = chance.choice(SIZES)
    (kind,) = chance.choices([members for _, members in KINDS], [weight for weight, _ in KINDS])
    members: dict[str, Any] = {
        "name": f"job-{number}",
        "cards": cards,
        "nodes": nodes,
        "seconds": chance.uniform(0.2, 1.5) if "action" in kind else chance.uniform(0, 0.3),
        "is_early": chance.random() < 0.3,
        "leaves": chance.random() < 0.3,
        "priority": chance.randint(1, 3),
    }
    return Plan(**members | kind)


@dataclass
class Runs:
    """The file in which scripts note what they do, in a folder of its own."""

    folder: Path

    def __post_init__(self) -> None:
        self.folder.mkdir()

    def lines(self, what: str = "") -> list[Line]:
        """What the tasks have noted so far, oldest first."""
        log = self.folder / "log"
        found = []
        for text in log.read_text().splitlines() if log.exists() else ():
            kind, name, task, pid, controller, moment, *cards = text.split()
            found.append(Line(kind, name, int(task), int(pid), int(controller), float(moment), tuple(cards)))
        return [line for line in found if what in ("", line.what)]

    def names(self) -> set[str]:
        """The jobs that have begun."""
        return {line.name for line in self.lines("begin")}

    def processes(self) -> Iterator[psutil.Process]:
        """Those of the scripts that live."""
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if process.environ().get("RUNS") == str(self.folder) and process.status() != psutil.STATUS_ZOMBIE:
                    yield process

    def check(self, plans: Sequence[Plan], ids: Sequence[str] = IDS) -> None:
        """Fail if a card was used twice, or if a task saw other cards than its own."""
        assert self.lines("conflict") == []
        sizes = {plan.name: plan.cards for plan in plans}
        for line in self.lines("begin"):
            assert len(set(line.cards)) == len(line.cards) == sizes[line.name], line
            assert set(line.cards) <= set(ids), line


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A machine with four GPUs, as its tools say."""
    made = Machine(tmp_path / "machine", CARDS)
    monkeypatch.setenv("PATH", made.path)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    return made


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    return Runs(tmp_path / "runs")


@contextlib.contextmanager
def serving(folder: Path, *options: str) -> Iterator[tuple[EmulatorProcess, ModelArts]]:
    """An emulator of this machine in a process of its own, and a client that has uploaded the script."""
    emulator = EmulatorProcess(folder / "data", ("--max-running-jobs", "16", *options))
    folder.mkdir(exist_ok=True)
    emulator.start()
    try:
        with connect(emulator) as ma:
            upload(ma, folder, SCRIPT)
            yield emulator, ma
    finally:
        if emulator.process is not None:
            emulator.end(signal.SIGINT)


def control(emulator: EmulatorProcess) -> httpx.Client:
    """A client of the emulator's control API."""
    environment = emulator.environment()
    return httpx.Client(
        base_url=f"{environment['MODELARTS_ENDPOINT']}/_emulator/", timeout=300,
        headers={"Authorization": f"Bearer {environment['MODELARTS_EMULATOR_TOKEN']}"},
    )  # fmt: skip


def holders(emulator: EmulatorProcess) -> dict[str, list[str]]:
    """By the id of a card, the jobs that have it now, as the control API says."""
    with control(emulator) as client:
        devices = client.get("devices").raise_for_status().json()["devices"]
    return {device["id"]: [task["name"] for task in device["tasks"]] for device in devices}


def waits(ma: ModelArts, job_id: str) -> str:
    """The newest event of the job that says what it waits for; empty if there is none."""
    messages = [event.message or "" for event in ma.v2.events.iter_training_job_events(job_id)]
    return next((text for text in reversed(messages) if text.startswith("The job is waiting for resources")), "")


@dataclass
class Trial:
    """Submits jobs, does to each what its plan says, and kills the emulator now and then."""

    emulator: EmulatorProcess
    ma: ModelArts
    runs: Runs
    chance: random.Random
    jobs: dict[str, str] = field(default_factory=dict)
    due: dict[str, tuple[float, Plan]] = field(default_factory=dict)
    left: dict[str, Plan] = field(default_factory=dict)
    handled: set[str] = field(default_factory=set)
    moments: list[int] = field(default_factory=list)
    """After which jobs the emulator is killed next."""
    kills: int = 0

    def run(self, plans: Sequence[Plan], kills: int) -> None:
        """Everything, until each plan is submitted and its action done."""
        self.moments = sorted(self.chance.sample(range(len(plans)), kills))
        waiting, done = iter(plans), False
        while not (done and not self.left and not self.due):
            begun = self.runs.names()
            while not done and len(self.jobs.keys() - begun - self.handled) < AHEAD:
                plan = next(waiting, None)
                done = plan is None
                if plan is not None:
                    self.submit(plan)
            self.act(begun)
            if self.moments and (len(self.jobs) > self.moments[0] or done):
                self.kill()
            time.sleep(0.05)
        while self.moments:
            self.kill()

    def submit(self, plan: Plan) -> None:
        self.jobs[plan.name] = self.ma.jobs.submit(plan.body(self.runs.folder)).id
        if plan.action and plan.is_early and not plan.action.startswith("kill"):
            self.due[plan.name] = (time.monotonic() + self.chance.uniform(0, 1), plan)
        elif plan.action:
            self.left[plan.name] = plan

    def act(self, begun: set[str]) -> None:
        """Do what is due; sometimes the emulator is killed as soon as it has acknowledged that."""
        for name in begun & self.left.keys():
            self.due[name] = (time.monotonic() + self.chance.uniform(0, 0.3), self.left.pop(name))
        for name, (moment, plan) in list(self.due.items()):
            if time.monotonic() >= moment:
                del self.due[name]
                self.handled.add(name)
                getattr(self, plan.action)(plan)
                if self.moments and self.chance.random() < 0.3:
                    self.kill()

    def kill(self) -> None:
        """Kill the emulator, and sometimes the next one while it is starting."""
        self.moments.pop(0)
        self.emulator.end(signal.SIGKILL)
        self.kills += 1
        if self.chance.random() < 0.3:
            self.emulator.launch()
            time.sleep(self.chance.uniform(0.2, 1.2))
            self.emulator.end(signal.SIGKILL)
        self.emulator.start()

    def stop(self, plan: Plan) -> None:
        with contextlib.suppress(ApiError):  # it has ended
            self.ma.jobs.get(self.jobs[plan.name]).stop()

    def delete(self, plan: Plan) -> None:
        self.ma.jobs.get(self.jobs[plan.name]).delete()

    def lose_node(self, plan: Plan) -> None:
        task = f"worker-{self.chance.randrange(plan.nodes)}"
        with control(self.emulator) as client:
            client.post("faults", json={"job": self.jobs[plan.name], "task": task, "kind": "node_lost"})

    def kill_script(self, plan: Plan) -> None:
        self._kill(plan, of_controller=False)

    def kill_controller(self, plan: Plan) -> None:
        self._kill(plan, of_controller=True)

    def _kill(self, plan: Plan, of_controller: bool) -> None:
        line = [line for line in self.runs.lines("begin") if line.name == plan.name][-1]
        with contextlib.suppress(psutil.Error):
            script = psutil.Process(line.pid)
            if script.environ().get("RUNS") == str(self.runs.folder) and script.ppid() == line.controller:
                (psutil.Process(line.controller) if of_controller else script).kill()

    def phase(self, name: str) -> str:
        """The phase of the job, which has ended."""
        return str(eventually(lambda: self._end(name), f"{name} ends"))

    def _end(self, name: str) -> str | None:
        job = self.ma.jobs.get(self.jobs[name])
        return str(job.phase) if job.is_terminal else None


@pytest.mark.parametrize(
    ("jobs", "kills"), [(40, 3), pytest.param(SOAK_JOBS, SOAK_KILLS, marks=pytest.mark.soak, id="soak")]
)
@pytest.mark.timeout(3600)
@pytest.mark.usefixtures("machine")
def test_no_card_is_used_twice_and_none_is_lost_whatever_is_killed(
    tmp_path: Path, runs: Runs, jobs: int, kills: int
) -> None:
    """DEVICE_SEED repeats what a seed that was printed has shown; DEVICE_JOBS and DEVICE_KILLS are for the soak."""
    seed = int(os.environ.get("DEVICE_SEED", "0")) or (1 if jobs == 40 else random.randrange(1, 1_000_000))
    sys.stdout.write(f"DEVICE_SEED={seed}\n")
    chance = random.Random(seed)
    plans = [draw(number, chance) for number in range(jobs)]
    with serving(tmp_path / "one") as (emulator, ma):
        trial = Trial(emulator, ma, runs, chance)
        trial.run(plans, kills)
        kept = [plan for plan in plans if plan.action != "delete"]
        phases = {plan.name: trial.phase(plan.name) for plan in kept}
        whole = Plan("whole", cards=4)
        trial.submit(whole)
        phases["whole"] = trial.phase("whole")
        eventually(lambda: not any(holders(emulator).values()), "no card is held")
        held = holders(emulator)
    lines = runs.lines("begin")

    wrong = [(plan, phases[plan.name]) for plan in (*kept, whole) if phases[plan.name] not in plan.phases]
    assert wrong == []
    runs.check([*plans, whole])
    assert list(held) == IDS
    untouched = [plan for plan in (*plans, whole) if not plan.action]
    expected = {(plan.name, task): len(plan.codes) for plan in untouched for task in range(plan.nodes)}
    counts = Counter((line.name, line.task) for line in lines)
    assert {key: counts[key] for key in expected} == expected
    assert not list(runs.processes())
    assert trial.kills == kills


@pytest.mark.usefixtures("machine")
def test_a_waiting_job_starts_as_soon_as_a_card_is_free(tmp_path: Path, runs: Runs) -> None:
    """From the last line of the script before it to the first one of its own, which takes longer on a busy machine."""
    count = int(os.environ.get("DEVICE_TURNS", "10"))
    with serving(tmp_path / "one", "--devices", "2") as (_, ma):
        plans = [Plan(f"job-{number}", seconds=0.1) for number in range(count + 1)]
        jobs = [ma.jobs.submit(plan.body(runs.folder)) for plan in plans]
        for job in jobs:
            job.wait(timeout=300)
    ends, begins = runs.lines("end"), runs.lines("begin")
    delays = [begin.moment - end.moment for end, begin in zip(ends, begins[1:], strict=False)]
    sys.stdout.write(f"{count} turns: median {statistics.median(delays):.3f} s, maximum {max(delays):.3f} s\n")

    runs.check(plans, IDS[2:3])
    assert [line.name for line in begins] == [plan.name for plan in plans]
    assert statistics.median(delays) < 1.5


@pytest.mark.usefixtures("machine")
def test_two_emulators_divide_the_cards_of_a_machine(tmp_path: Path, runs: Runs) -> None:
    """A job of one of them takes none of the other, and one that needs more than its emulator has is rejected."""
    with (
        serving(tmp_path / "one", "--devices", "0,1") as (one, ma),
        serving(tmp_path / "two", "--devices", f"3,{IDS[2]}") as (two, other),
    ):
        plans = [Plan(f"{place}-{number}", cards=number % 2 + 1) for place in "ab" for number in range(6)]
        jobs = [(ma if plan.name < "b" else other).jobs.submit(plan.body(runs.folder)) for plan in plans]
        with pytest.raises(ApiError, match=r"--share-devices.*--devices none"):
            ma.jobs.submit(Plan("large", nodes=3).body(runs.folder))
        for job in jobs:
            job.wait(timeout=300)
        known = list(holders(one)), list(holders(two))
    begins = runs.lines("begin")

    assert known == (IDS[:2], IDS[:1:-1])
    runs.check(plans)
    assert {card for line in begins for card in line.cards if line.name < "b"} == set(IDS[:2])
    assert {card for line in begins for card in line.cards if line.name >= "b"} == set(IDS[2:])


@pytest.mark.usefixtures("machine")
def test_a_job_keeps_a_card_that_the_next_emulator_does_not_give_out(tmp_path: Path, runs: Runs) -> None:
    """A job that waits for more cards than are left says so, and keeps back none that need fewer."""
    with serving(tmp_path / "one") as (emulator, ma):
        whole = Plan("whole", cards=4, seconds=600)
        running = ma.jobs.submit(whole.body(runs.folder))
        eventually(lambda: runs.lines("begin"), "the first job runs")
        large = ma.jobs.submit(Plan("large", cards=3).body(runs.folder))
        emulator.end(signal.SIGKILL)
        emulator.more = (*emulator.more, "--devices", "0,1")
        emulator.start()
        small = ma.jobs.submit(Plan("small", cards=1).body(runs.folder))
        eventually(lambda: waits(ma, small.id), "the small job waits")
        assert list(holders(emulator)) == IDS[:2]
        assert set(itertools.chain(*holders(emulator).values())) == {"whole"}
        running.stop()
        small.wait(timeout=300)
        eventually(lambda: "needs 3 GPUs, and there are 2 GPUs" in waits(ma, large.id), "it says what it needs")
        large.stop()

    runs.check([whole, Plan("small")])


def test_no_job_gets_the_cards_of_another_when_the_next_emulator_finds_none(
    tmp_path: Path, runs: Runs, machine: Machine
) -> None:
    """Its tool fails; a job without cards runs, and one of a flavor of the machine waits until some are found."""
    with serving(tmp_path / "one") as (emulator, ma):
        running = ma.jobs.submit(Plan("whole", cards=4, seconds=600).body(runs.folder))
        eventually(lambda: runs.lines("begin"), "the first job runs")
        waiting = ma.jobs.submit(Plan("waiting", cards=2).body(runs.folder))
        emulator.end(signal.SIGKILL)
        machine.answer("NVIDIA-SMI has failed", status=9)
        emulator.start()
        ma.jobs.submit(Plan("none", cards=0).body(runs.folder)).wait(timeout=300)
        eventually(lambda: "needs 2 GPUs, and there are 0 GPUs" in waits(ma, waiting.id), "it says what it needs")
        running.stop()
        ma.jobs.submit(Plan("later", cards=0).body(runs.folder)).wait(timeout=300)
        begun = runs.names()
        emulator.end(signal.SIGKILL)
        machine.answer(None)
        emulator.start()
        waiting.wait(timeout=300)

    assert begun == {"whole", "none", "later"}


@pytest.mark.usefixtures("machine")
def test_as_many_tasks_share_a_card_as_the_emulator_is_told(tmp_path: Path, runs: Runs) -> None:
    """Eight jobs run on four cards at once; the ninth waits."""
    with serving(tmp_path / "one", "--share-devices", "2") as (emulator, ma):
        plans = [Plan(f"job-{number}", seconds=600) for number in range(8)]
        jobs = [ma.jobs.submit(plan.body(runs.folder, places=2)) for plan in plans]
        eventually(lambda: len(runs.lines("begin")) == 8, "eight jobs run")
        ninth = ma.jobs.submit(Plan("ninth").body(runs.folder, places=2))
        eventually(lambda: waits(ma, ninth.id), "the ninth job waits")
        held = holders(emulator)
        begun = runs.names()
        jobs.pop().stop()
        ninth.wait(timeout=300)
        for job in jobs:
            job.stop()

    assert [len(names) for names in held.values()] == [2] * 4
    assert "ninth" not in begun
    runs.check([*plans, Plan("ninth")])

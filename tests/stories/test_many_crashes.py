"""The emulator is killed at many random moments, and so are controllers and scripts: every job ends once and truly."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.databases import PostgresqlServer
from tests.stories.conftest import ENGINE, EmulatorProcess, eventually

from modelarts_emulator.execution.task.namespaces import find_path_mode
from modelarts_toolkit import JobFailed, JobRequest, ModelArts

pytestmark = pytest.mark.ci

SOAK_CRASHES = int(os.environ.get("CRASHES", "200"))
VICTIMS = ("controller", "script")
CONTROLLER = "modelarts_emulator.execution.task.controller"
SCRIPT = """
import os, pathlib, sys, time
runs = pathlib.Path(os.environ["RUNS"])
task = os.environ["NAME"] + " worker-" + os.environ["VC_TASK_INDEX"]
with runs.open("a") as stream:
    stream.write(f"{task}\\n")
time.sleep(float(os.environ["SECONDS"]))
attempt = runs.read_text().splitlines().count(task)
codes = [int(code) for code in os.environ["CODES"].split(",")]
sys.exit(codes[attempt - 1])
"""


@dataclass(frozen=True)
class Plan:
    """What a job does, by attempt, and whether it is killed from outside."""

    name: str
    codes: tuple[int, ...] = (0,)
    seconds: float = 0.3
    nodes: int = 1
    victim: str = ""

    @property
    def end(self) -> int:
        """The exit code of the job."""
        return 137 if self.victim else self.codes[-1]

    @property
    def phase(self) -> str:
        """The phase in which the job ends; a lost controller counts as a lost node."""
        return "Abnormal" if self.victim == "controller" else "Failed" if self.end else "Completed"

    def body(self, runs: Path) -> JobRequest:
        more = len(self.codes) - 1
        terms = {"job-retry-num": str(more), "job-unconditional-retry": "true"} if more else {}
        annotations = {f"fault-tolerance/{name}": value for name, value in terms.items()}
        environments = {
            "RUNS": str(runs),
            "NAME": self.name,
            "SECONDS": str(self.seconds),
            "CODES": ",".join(map(str, self.codes)),
        }
        code: Any = {"code_dir": "/stories/code/", "boot_file": "/stories/code/boot.py", "engine": ENGINE}
        return {
            "kind": "job",
            "metadata": {"name": self.name, "annotations": annotations},
            "algorithm": code | {"environments": environments},
            "spec": {"resource": {"flavor_id": "modelarts.vm.cpu.8u", "node_count": self.nodes}},
        }


@dataclass
class Killer:
    """Kills the emulator at random moments, and the scripts or controllers of victims."""

    emulator: EmulatorProcess
    runs: Path
    victims: dict[str, str]
    chance: random.Random
    lives: int = 0
    killed: set[str] = field(default_factory=set)

    def live(self, seconds: float) -> None:
        """Let an emulator live so long, starting included."""
        process = self.emulator.launch()
        time.sleep(seconds)
        self.kill_victim()
        assert process.poll() is None, self.emulator.output.read_text()
        self.emulator.end(signal.SIGKILL)
        self.lives += 1

    def kill_victim(self) -> None:
        """Kill what belongs to one victim that has begun to run."""
        for task in starts(self.runs):
            name = task.split()[0]
            if name in self.victims and name not in self.killed:
                self.killed.add(name)
                with contextlib.suppress(psutil.NoSuchProcess):
                    for process in processes(self.runs, name):
                        is_script = process.cmdline()[1:2] == ["-u"]
                        controller = [parent for parent in process.parents() if CONTROLLER in parent.cmdline()]
                        if is_script:
                            (controller[0] if self.victims[name] == "controller" else process).kill()
                            break
                return


def processes(runs: Path, name: str = "") -> Iterator[psutil.Process]:
    """The processes that run the script, for one job or for all; in a namespace they do not know their numbers."""
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            environment = process.environ()
            if environment.get("RUNS") == str(runs) and name in ("", environment["NAME"]):
                yield process


def starts(runs: Path) -> list[str]:
    """The task of every start of a script."""
    return runs.read_text().splitlines() if runs.exists() else []


@pytest.fixture(params=[pytest.param("mapping", marks=pytest.mark.soak), "namespace"])
def paths(request: pytest.FixtureRequest, emulator_process: EmulatorProcess) -> None:
    """Let tasks see their directories this way; skips the test where the system forbids it."""
    mode, reason = find_path_mode((Path(sys.prefix),))
    if request.param == "namespace" and mode != "namespace":
        pytest.skip(reason)
    emulator_process.end(signal.SIGTERM)
    emulator_process.more = ("--paths", request.param)
    emulator_process.start()


@pytest.mark.usefixtures("paths")
def test_no_job_is_lost_or_run_twice_or_ends_wrongly(emulator_process: EmulatorProcess, tmp_path: Path) -> None:
    """In 6 lives of the emulator; CRASH_SEED takes another seed than 1."""
    crash(emulator_process, tmp_path, int(os.environ.get("CRASH_SEED", "1")), crashes=6, scale=1)


@pytest.fixture(params=["sqlite", "postgresql"])
def state(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the emulators that are started keep their state in this database."""
    if request.param == "postgresql":
        server: PostgresqlServer = request.getfixturevalue("postgresql_server")
        monkeypatch.setenv("MODELARTS_EMULATOR_DATABASE_URL", server.new_database())


@pytest.mark.soak
@pytest.mark.usefixtures("state", "paths")
def test_no_job_is_lost_or_run_twice_or_ends_wrongly_in_many_lives(
    emulator_process: EmulatorProcess, tmp_path: Path
) -> None:
    """CRASHES says how many, and CRASH_SEED repeats what a seed that was printed has shown."""
    seed = int(os.environ.get("CRASH_SEED", "0")) or random.randrange(1, 1_000_000)
    sys.stdout.write(f"CRASH_SEED={seed}\n")
    crash(emulator_process, tmp_path, seed, SOAK_CRASHES, scale=max(2, SOAK_CRASHES // 25))


def crash(emulator_process: EmulatorProcess, tmp_path: Path, seed: int, crashes: int, scale: int) -> None:
    """Kill the emulator so often, while it runs some 15 jobs, times the scale; check how each of them has ended."""
    chance = random.Random(seed)
    runs = tmp_path / "runs"
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "boot.py").write_text(SCRIPT)
    plans = [
        *(Plan(f"short-{number}", seconds=chance.uniform(0, 0.5)) for number in range(5 * scale)),
        *(Plan(f"failing-{number}", (3 + number,), chance.uniform(0, 0.5)) for number in range(3 * scale)),
        *(Plan(f"double-{number}", nodes=2, seconds=chance.uniform(0, 0.5)) for number in range(2 * scale)),
        *(Plan(f"again-{number}", (1, 2, 0), chance.uniform(0, 0.3)) for number in range(2 * scale)),
        *(Plan(f"victim-{number}", seconds=600, victim=VICTIMS[number % 2]) for number in range(2 * scale)),
        Plan("long", seconds=5),
    ]
    chance.shuffle(plans)
    with ModelArts() as ma:
        ma.obs.create_bucket("stories")
        ma.obs.upload(tmp_path / "code", "obs://stories/code/")
        jobs = [ma.jobs.submit(plan.body(runs)) for plan in plans]
    emulator_process.end(signal.SIGKILL)
    killer = Killer(emulator_process, runs, {plan.name: plan.victim for plan in plans if plan.victim}, chance)
    while killer.lives < crashes:
        killer.live(chance.uniform(0.1, 1.3))
    emulator_process.start()
    while len(killer.killed) < len(killer.victims):
        killer.kill_victim()
        time.sleep(0.1)
    ends = {}
    with ModelArts() as ma:
        for plan, job in zip(plans, jobs, strict=True):
            try:
                ends[plan.name] = (0, ma.jobs.get(job).wait(timeout=300).phase)
            except JobFailed as failure:
                ends[plan.name] = (next(iter(failure.exit_codes.values())), failure.job.phase)

    assert ends == {plan.name: (plan.end, plan.phase) for plan in plans}
    expected = {f"{plan.name} worker-{node}": len(plan.codes) for plan in plans for node in range(plan.nodes)}
    assert Counter(starts(runs)) == expected
    eventually(lambda: not list(processes(runs)), "no script is left")

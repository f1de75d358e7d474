"""Everything is killed at many moments, on this machine and on Slurm: every job and trial ends once and truly."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests import slurm
from tests.databases import PostgresqlServer
from tests.stories.conftest import EmulatorProcess, eventually, job_body, upload

from modelarts_emulator.execution.task.namespaces import find_path_mode
from modelarts_toolkit import JobFailed, ModelArts

pytestmark = pytest.mark.ci

SOAK_CRASHES = int(os.environ.get("CRASHES", "200"))
VICTIMS = ("controller", "script")
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

    def body(self, runs: Path) -> Any:
        more = len(self.codes) - 1
        terms = {"job-retry-num": str(more), "job-unconditional-retry": "true"} if more else {}
        annotations = {f"fault-tolerance/{name}": value for name, value in terms.items()}
        codes = ",".join(map(str, self.codes))
        environments = {"RUNS": str(runs), "NAME": self.name, "SECONDS": f"{self.seconds:.2f}", "CODES": codes}
        return job_body(self.name, nodes=self.nodes, annotations=annotations, environments=environments)


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
                        claims = self.emulator.data_dir.glob("jobs/.records/*/*/*/controller.json")
                        controllers = [json.loads(claim.read_bytes())["pid"] for claim in claims]
                        controller = [parent for parent in process.parents() if parent.pid in controllers]
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


def have_begun(runs: Path, number: int) -> bool:
    return len(starts(runs)) >= number


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
        upload(ma, tmp_path, SCRIPT)
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


TRIAL = """
    from typing import Any
    import argparse, os, pathlib, sys, time
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float)
    lr = parser.parse_known_args()[0].lr
    with pathlib.Path(os.environ["RUNS"]).open("a") as runs:
        runs.write(f"{lr!r} {os.getpid()}\\n")
    for epoch in (1, 2):
        print(f"accuracy: {lr / 4 * epoch}", flush=True)
        time.sleep(float(os.environ["SECONDS"]))
    sys.exit(3 if lr > 0.8 else 0)
"""
SEARCH = {
    "reward_attrs": [{"name": "accuracy", "mode": "max", "regex": r"accuracy: (\S+)"}],
    "search_params": [{"name": "lr", "param_type": "continuous", "lower_bound": "0.0", "upper_bound": "1.0"}],
}


@pytest.mark.parametrize(("trials", "seconds"), [(10, 0.15), pytest.param(20, 0.4, marks=pytest.mark.soak)])
def test_a_search_ends_with_all_its_trials_however_often_the_emulator_is_killed(
    emulator_process: EmulatorProcess, tmp_path: Path, trials: int, seconds: float
) -> None:
    """At four moments that the seed decides, from the first trial to the analysis; CRASH_SEED takes another seed."""
    chance = random.Random(int(os.environ.get("CRASH_SEED", "1")))
    runs = tmp_path / "runs"
    algorithm = {"name": "anneal_search", "params": [{"key": "num_samples", "value": str(trials)}]}
    policies = {"auto_search": {**SEARCH, "algo_configs": [algorithm]}}
    environments = {"RUNS": str(runs), "SECONDS": str(seconds)}
    with ModelArts() as ma:
        upload(ma, tmp_path, TRIAL)
        job = ma.jobs.submit(job_body("search", policies=policies, environments=environments))
        for number in (1, *sorted(chance.sample(range(2, trials), 2)), trials):
            eventually(partial(have_begun, runs, number), f"{number} trials have begun")
            time.sleep(chance.uniform(0, 2.5 * seconds))
            emulator_process.end(signal.SIGKILL)
            emulator_process.start()
        done = job.wait(timeout=300)
        searches = ma.v2.hyperparameter_searches
        table = searches.show_auto_search_trials(job.id).to_dict()["items"]
        analysis = searches.show_auto_search_params_analysis(job.id).to_dict()
        lines = list(done.logs(follow=True))

    assert done.phase == "Completed"
    found = [dict(zip(table["header"], row, strict=True)) for row in table["data"]]
    tried = {trial["config"]["lr"]: trial for trial in found}
    started = [line.split() for line in starts(runs)]
    assert len(tried) == trials
    assert Counter(float(lr) for lr, _ in started) == Counter(list(tried))
    for lr, trial in tried.items():
        assert (trial["status"], trial["done"]) == ("ERROR" if lr > 0.8 else "TERMINATED", "True"), trial
        assert (float(trial["reward_attr"]), trial["training_iteration"]) == (lr / 2, "2"), trial
        printed = [line for line in lines if line.startswith(f"[{trial['trial_id']}] accuracy")]
        assert printed == [f"[{trial['trial_id']}] accuracy: {lr / 4 * epoch}" for epoch in (1, 2)], trial
    assert [name for name, _ in analysis["data"]] == ["lr"]
    eventually(lambda: not any(psutil.pid_exists(int(pid)) for _, pid in started), "no script is left")


JOBS, KILLS = 200, 20


@pytest.mark.soak
def test_no_job_is_stuck_or_runs_twice_while_front_end_and_daemons_of_slurm_are_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The front end twenty times; the controller of the cluster twice, before it saves what it has just accepted.

    A node's daemon twice, too. No attempt runs twice, and every job ends: with its code, or rarely as lost.
    """
    if reason := slurm.why_not():
        pytest.skip(reason)
    chance, runs = random.Random(7), tmp_path / "runs"
    plans = [
        Plan(f"job-{number}", (0 if number % 10 else 3,), chance.uniform(0, 2), 1 + number % 2)
        for number in range(JOBS)
    ]
    cluster = slurm.SlurmCluster(6, cpus=4)
    monkeypatch.setenv("SLURM_CONF", cluster.environment["SLURM_CONF"])
    (tmp_path / "catalogue.toml").write_text(slurm.CATALOGUE)
    options = ("--executor", "slurm", "--catalogue", str(tmp_path / "catalogue.toml"))
    front_end = EmulatorProcess(tmp_path / "data", options)
    kills = {(index + 1) * JOBS // (KILLS + 1) for index in range(KILLS)}
    phases: dict[str, str | None] = {}
    try:
        front_end.start()
        for name, value in front_end.environment().items():
            monkeypatch.setenv(name, value)
        with ModelArts() as ma:
            upload(ma, tmp_path, SCRIPT)
            jobs = []
            for number, plan in enumerate(plans):
                jobs.append(ma.jobs.submit(plan.body(runs)))
                if number in (JOBS // 4, JOBS * 3 // 4):
                    cluster.kill_controller()
                    time.sleep(1)
                    cluster.start_controller()
                if number in (JOBS // 3, JOBS // 2):
                    cluster.kill_daemon(cluster.nodes[-1])
                    time.sleep(2)
                    cluster.start_node(cluster.nodes[-1])
                if number in kills:
                    front_end.end(signal.SIGKILL)
                    front_end.start()
            for plan, job in zip(plans, jobs, strict=True):
                with contextlib.suppress(JobFailed):
                    job.wait(timeout=600)
                phases[plan.name] = job.refresh().phase
    finally:
        if front_end.process is not None:
            front_end.end(signal.SIGINT)
        cluster.close()

    assert [task for task, count in Counter(starts(runs)).items() if count > 1] == []
    lost = [name for name, phase in phases.items() if phase == "Abnormal"]
    assert {plan.name: phases[plan.name] for plan in plans if plan.name not in lost} == {
        plan.name: plan.phase for plan in plans if plan.name not in lost
    }
    assert len(lost) <= JOBS // 20

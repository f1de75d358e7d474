"""Many jobs on a Slurm cluster while everything around them is killed again and again."""

from __future__ import annotations

import logging
import random
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.slurm import SlurmCluster, why_not
from tests.stories.conftest import EmulatorProcess, eventually
from tests.stories.test_slurm import CATALOGUE
from tests.stories.test_two_nodes import ENGINE

from modelarts_toolkit import ModelArts
from modelarts_toolkit.errors import ToolkitError

pytestmark = pytest.mark.soak

log = logging.getLogger(__name__)

JOBS, KILLS = 200, 20
SCRIPT = """
import os, sys, time
with open(os.environ["RUNS"], "a") as runs:
    runs.write(f"{os.environ['NAME']} {os.environ['VC_TASK_INDEX']}\\n")
time.sleep(float(os.environ["SECONDS"]))
sys.exit(int(os.environ["CODE"]))
"""
ENDED = ("Completed", "Failed", "Terminated", "Abnormal")


def body(number: int, chance: random.Random, runs: Path) -> Any:
    """A job of one or two nodes that takes up to two seconds; one in ten fails."""
    environments = {
        "RUNS": str(runs),
        "NAME": f"job-{number}",
        "SECONDS": f"{chance.uniform(0, 2):.2f}",
        "CODE": "3" if number % 10 == 0 else "0",
    }
    return {
        "kind": "job",
        "metadata": {"name": f"job-{number}"},
        "algorithm": {
            "code_dir": "/soak/code/",
            "boot_file": "/soak/code/boot.py",
            "engine": ENGINE,
            "environments": environments,
        },
        "spec": {"resource": {"flavor_id": "modelarts.vm.cpu.8u", "node_count": 1 + number % 2}},
    }


def test_no_job_is_stuck_or_runs_twice_while_front_end_and_daemons_are_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The front end twenty times; the controller of the cluster twice, before it saves what it has just accepted.

    A node's daemon twice, too. No attempt runs twice, and every job ends.
    """
    if reason := why_not():
        pytest.skip(reason)
    chance, runs = random.Random(7), tmp_path / "runs"
    cluster = SlurmCluster(6, cpus=4)
    for name, value in cluster.environment.items():
        monkeypatch.setenv(name, value)
    catalogue = tmp_path / "catalogue.toml"
    catalogue.write_text(CATALOGUE)
    front_end = EmulatorProcess(tmp_path / "data", ("--executor", "slurm", "--catalogue", str(catalogue)))
    try:
        front_end.start()
        for name, value in front_end.environment().items():
            monkeypatch.setenv(name, value)
        with ModelArts() as ma:
            play(ma, front_end, cluster, chance, runs, tmp_path)
    finally:
        if front_end.process is not None:
            front_end.end(signal.SIGINT)
        cluster.close()


def play(
    ma: ModelArts,
    front_end: EmulatorProcess,
    cluster: SlurmCluster,
    chance: random.Random,
    runs: Path,
    folder: Path,
) -> None:
    (folder / "code").mkdir()
    (folder / "code" / "boot.py").write_text(SCRIPT)
    ma.obs.create_bucket("soak")
    ma.obs.upload(folder / "code", "obs://soak/code/")
    kills = {round((index + 1) * JOBS / (KILLS + 1)): _kill_front_end for index in range(KILLS)}
    faults: dict[int, Callable[[EmulatorProcess, SlurmCluster], None]] = {
        JOBS // 4: _kill_controller,
        JOBS // 3: _kill_node,
        JOBS // 2: _kill_node,
        JOBS * 3 // 4: _kill_controller,
    }
    names: dict[str, int] = {}
    for number in range(JOBS):
        names[ma.jobs.submit(body(number, chance, runs)).id] = number
        for planned in (faults.get(number), kills.get(number)):
            if planned is not None:
                planned(front_end, cluster)
    began = time.monotonic()
    eventually(lambda: not _unfinished(ma, names), "every job ends", within=600)
    waited = time.monotonic() - began
    phases = {names[job_id]: phase for job_id, phase in _phases(ma, names).items()}
    twice = [run for run, count in Counter(runs.read_text().splitlines()).items() if count > 1]
    counts = Counter(phases.values())
    log.info("%s, %d run twice, %d s after the last submission", dict(counts), len(twice), waited)

    assert twice == []
    right = {number: ("Failed" if number % 10 == 0 else "Completed", "Abnormal") for number in phases}
    wrong = {
        number: (phases[number], _messages(ma, job_id))
        for job_id, number in names.items()
        if phases[number] not in right[number]
    }
    assert wrong == {}
    assert counts["Abnormal"] <= JOBS // 20


def _kill_front_end(front_end: EmulatorProcess, cluster: SlurmCluster) -> None:
    front_end.end(signal.SIGKILL)
    front_end.start()


def _kill_controller(front_end: EmulatorProcess, cluster: SlurmCluster) -> None:
    cluster.kill_controller()
    time.sleep(1)
    cluster.start_controller()


def _kill_node(front_end: EmulatorProcess, cluster: SlurmCluster) -> None:
    cluster.kill_daemon(cluster.nodes[-1])
    time.sleep(2)
    cluster.start_node(cluster.nodes[-1])


def _phases(ma: ModelArts, names: dict[str, int]) -> dict[str, str]:
    return {job_id: ma.v2.training_jobs.show_training_job_details(job_id).status.phase for job_id in names}


def _messages(ma: ModelArts, job_id: str) -> list[str]:
    return [event.message for event in ma.v2.events.iter_training_job_events(job_id)]


def _unfinished(ma: ModelArts, names: dict[str, int]) -> list[str]:
    try:
        return [job_id for job_id, phase in _phases(ma, names).items() if phase not in ENDED]
    except (ToolkitError, httpx.HTTPError):
        return list(names)

"""The emulator is killed at random moments of a search whose trials are processes: none is lost, repeated or wrong."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.stories.conftest import ENGINE, EmulatorProcess, eventually

from modelarts_toolkit import JobRequest, ModelArts

pytestmark = pytest.mark.ci

SCRIPT = """
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


def body(runs: Path, trials: int, seconds: float) -> JobRequest:
    algorithm: Any = {"name": "anneal_search", "params": [{"key": "num_samples", "value": str(trials)}]}
    policies: Any = {"auto_search": {**SEARCH, "algo_configs": [algorithm]}}
    environments = {"RUNS": str(runs), "SECONDS": str(seconds)}
    code: Any = {"code_dir": "/stories/code/", "boot_file": "/stories/code/boot.py", "engine": ENGINE}
    return {
        "kind": "job",
        "metadata": {"name": "search"},
        "algorithm": code | {"policies": policies, "environments": environments},
        "spec": {"resource": {"flavor_id": "modelarts.vm.cpu.8u", "node_count": 1}},
    }


def have_begun(runs: Path, trials: int) -> bool:
    return len(starts(runs)) >= trials


def starts(runs: Path) -> list[tuple[float, int]]:
    """What each script that was started tries, and its process."""
    lines = (line.split() for line in runs.read_text().splitlines()) if runs.exists() else ()
    return [(float(lr), int(pid)) for lr, pid in lines]


def test_a_search_ends_with_all_its_trials_however_often_the_emulator_is_killed(
    emulator_process: EmulatorProcess, tmp_path: Path
) -> None:
    """At four moments that the seed decides, from the first trial to the analysis; CRASH_SEED takes another seed."""
    crash(emulator_process, tmp_path, int(os.environ.get("CRASH_SEED", "1")), trials=10, seconds=0.15)


@pytest.mark.soak
def test_a_longer_search_ends_with_all_its_trials(emulator_process: EmulatorProcess, tmp_path: Path) -> None:
    """CRASH_SEED repeats what a seed that was printed has shown."""
    seed = int(os.environ.get("CRASH_SEED", "0")) or random.randrange(1, 1_000_000)
    sys.stdout.write(f"CRASH_SEED={seed}\n")
    crash(emulator_process, tmp_path, seed, trials=20, seconds=0.4)


def crash(emulator_process: EmulatorProcess, tmp_path: Path, seed: int, trials: int, seconds: float) -> None:
    """Kill the emulator during a search; check every trial, the analysis and the log."""
    chance = random.Random(seed)
    runs = tmp_path / "runs"
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "boot.py").write_text(SCRIPT)
    with ModelArts() as ma:
        ma.obs.create_bucket("stories")
        ma.obs.upload(tmp_path / "code", "obs://stories/code/")
        job = ma.jobs.submit(body(runs, trials, seconds))
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
    assert len(tried) == trials
    assert Counter(lr for lr, _ in starts(runs)) == Counter(list(tried))
    for lr, trial in tried.items():
        assert (trial["status"], trial["done"]) == ("ERROR" if lr > 0.8 else "TERMINATED", "True")
        assert (float(trial["reward_attr"]), trial["training_iteration"]) == (lr / 2, "2")
        printed = [line for line in lines if line.startswith(f"[{trial['trial_id']}] accuracy")]
        assert printed == [f"[{trial['trial_id']}] accuracy: {lr / 4 * epoch}" for epoch in (1, 2)]
    assert [name for name, _ in analysis["data"]] == ["lr"]
    eventually(lambda: not any(psutil.pid_exists(pid) for _, pid in starts(runs)), "no script is left")

"""Jobs on Slurm against plain `sbatch`: the first line, many short jobs with a front end that is killed, a long queue.

`BENCH_JOBS` short jobs (1,000) of `BENCH_SECONDS` (5) run over ten nodes of this machine, and `BENCH_QUEUED` (10,000)
wait; smaller numbers are for a machine that is busy.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import psutil
from tests.slurm import SlurmCluster, why_not
from tests.stories.conftest import EmulatorProcess

from benchmarks.result import Result
from modelarts_api.errors import ApiError
from modelarts_toolkit import ModelArts
from modelarts_toolkit.errors import ToolkitError

__all__ = ["measure", "why_not"]

JOBS = int(os.environ.get("BENCH_JOBS", "1000"))
SECONDS = float(os.environ.get("BENCH_SECONDS", "5"))
QUEUED = int(os.environ.get("BENCH_QUEUED", "10000"))
LINES = 16
KILLS = 20
NODES = 10
CLIENTS = 4
STATUS_CALLS_JOBS = 1000
STATUS_CALLS_S = 20.0
SCRIPT = """
import os, sys, time
print("first line", flush=True)
with open(os.environ["RUNS"], "a") as runs:
    runs.write(os.environ.get("JOB", "-") + "\\n")
time.sleep(float(os.environ["SECONDS"]))
"""
CATALOGUE = """
[[flavor]]
flavor_id = "modelarts.vm.cpu.8u"
flavor_type = "CPU"
slurm = { options = ["--cpus-per-task=1", "--mem=64M"] }
[flavor.flavor_info]
cpu = { arch = "x86", core_num = 8 }
"""
COMPLETED: Any = {"key": "phase", "operator": "in", "value": ["Completed"]}
ENGINE: Any = {"engine_id": "pytorch_1.8.0-cuda_10.2-py_3.7-ubuntu_18.04-x86_64"}


def measure() -> Iterator[Result]:
    """The figures, one after the other."""
    cluster = SlurmCluster(NODES, cpus=1, more="MaxJobCount=50000\n")
    try:
        os.environ.update(cluster.environment)
        with tempfile.TemporaryDirectory(prefix="bench-slurm-") as folder, _front_end(Path(folder)) as front_end:
            bench = Bench(Path(folder), cluster, front_end)
            yield bench.first_line()
            yield from bench.many_jobs()
            yield from bench.long_queue()
    finally:
        cluster.close()


@contextmanager
def _front_end(folder: Path) -> Iterator[EmulatorProcess]:
    """An emulator whose calls of squeue are counted in `calls`, a byte for each."""
    shim = folder / "bin" / "squeue"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\nprintf . >> {folder / "calls"}\nexec {shutil.which("squeue")} "$@"\n')
    shim.chmod(0o755)
    (folder / "calls").touch()
    (folder / "catalogue.toml").write_text(CATALOGUE)
    os.environ["PATH"] = f"{shim.parent}:{os.environ['PATH']}"
    more = ("--executor", "slurm", "--catalogue", str(folder / "catalogue.toml"), "--max-jobs", "100000", "--quiet")
    emulator = EmulatorProcess(folder / "data", (*more[:-1],))
    emulator.start()
    os.environ.update(emulator.environment())
    yield emulator
    if emulator.process is not None:
        emulator.end(signal.SIGTERM)


class Bench:
    """A cluster, a front end, and the script in its object store."""

    def __init__(self, folder: Path, cluster: SlurmCluster, front_end: EmulatorProcess) -> None:
        self._folder, self._cluster, self._front_end = folder, cluster, front_end
        (folder / "code").mkdir()
        (folder / "code" / "train.py").write_text(SCRIPT)
        with ModelArts() as ma:
            ma.obs.create_bucket("bench")
            ma.obs.upload(folder / "code", "obs://bench/code/")

    def first_line(self) -> Result:
        pairs = [(self._ours(number), self._by_hand(number)) for number in range(LINES + 1)][1:]
        ours, by_hand = (statistics.fmean(times) for times in zip(*pairs, strict=True))
        detail = f"create to the line in the log's preview, means of {LINES}: {ours:.2f} s, sbatch {by_hand:.2f} s"
        return Result("Slurm: first line of the log, later than by sbatch", ours - by_hand, None, "s", detail)

    def _ours(self, number: int) -> float:
        with ModelArts() as ma:
            logs = ma.v2.logs
            _sleep_up_to_a_second()
            began_at = time.perf_counter()
            job = self._create(ma, f"line-{number}", 0)
            _wait(lambda: "first line" in getattr(logs.show_training_job_logs_preview(job, "worker-0"), "content", ""))
            took_s = time.perf_counter() - began_at
            ma.jobs.get(job).wait()
        return took_s

    def _by_hand(self, number: int) -> float:
        log = self._folder / f"by-hand-{number}.log"
        _sleep_up_to_a_second()
        began_at = time.perf_counter()
        self._sbatch(f"by-hand-{number}", 0, log)
        _wait(lambda: log.exists() and "first line" in log.read_text())
        took_s = time.perf_counter() - began_at
        _wait(lambda: "by-hand" not in self._cluster.run("squeue", "--noheader", "--format=%j %T"))
        return took_s

    def many_jobs(self) -> Iterator[Result]:
        plain_s = self._timed(lambda number: self._sbatch(f"plain-{number}", SECONDS, Path(os.devnull)), "plain-")
        killer = random.Random(1)
        with ModelArts() as ma, ThreadPoolExecutor(1) as pool:
            killing = pool.submit(self._kill, killer, plain_s)
            ours_s = self._timed(lambda number: self._create(ma, f"ours-{number}", SECONDS), "ours-")
            killing.result()
            # A response may be lost in a crash: what counts is what the front end knows in the end.
            _wait(lambda: self._completed(ma) >= JOBS, 300, 0.5)
            done = self._completed(ma)
        runs = Counter(line for line in self._runs() if line.startswith("ours-"))
        detail = f"{JOBS} jobs of {SECONDS:g} s on {NODES} nodes: {JOBS / ours_s:.2f} and {JOBS / plain_s:.2f} jobs/s"
        yield Result("Slurm: short jobs, × the rate of plain sbatch", plain_s / ours_s, None, "×", detail)
        detail = f"{done} of {JOBS} jobs completed, the front end killed {KILLS} times"
        yield Result("Slurm: jobs lost", JOBS - min(done, len(runs)), 0, "jobs", detail)
        yield Result("Slurm: jobs that ran twice", sum(runs.values()) - len(runs), 0, "jobs", detail)

    def _completed(self, ma: ModelArts) -> int:
        jobs = ma.v2.training_jobs.iter_training_jobs({"filters": [COMPLETED]})
        return sum(job.metadata.name.startswith("ours-") for job in jobs)

    def _kill(self, killer: random.Random, about_s: float) -> None:
        for _ in range(KILLS):
            time.sleep(killer.uniform(0.5, 1.5) * max(about_s / (KILLS + 2) - 1, 0.5))
            self._front_end.end(signal.SIGKILL)
            self._front_end.start()

    def _timed(self, submit: Callable[[int], Any], prefix: str) -> float:
        """Seconds from the first submission until all jobs have run."""
        began_at = time.perf_counter()
        with ThreadPoolExecutor(CLIENTS) as clients:
            list(clients.map(submit, range(JOBS)))
            _wait(lambda: len({line for line in self._runs() if line.startswith(prefix)}) >= JOBS, JOBS * 5 + 600, 0.2)
        time.sleep(SECONDS)
        return time.perf_counter() - began_at

    def long_queue(self) -> Iterator[Result]:
        self._cluster.run("scontrol", "update", "partitionname=main", "state=down")
        with ModelArts() as ma, ThreadPoolExecutor(CLIENTS) as clients:
            for begin, end in ((0, min(STATUS_CALLS_JOBS, QUEUED)), (min(STATUS_CALLS_JOBS, QUEUED), QUEUED)):
                list(clients.map(lambda number: self._create(ma, f"queued-{number}", 0), range(begin, end)))
                _wait(lambda: self._queued() >= end, 600 + end / 5, 1)  # noqa: B023 - called in this round
                if begin == 0:
                    before = (self._folder / "calls").stat().st_size
                    time.sleep(STATUS_CALLS_S)
                    calls = (self._folder / "calls").stat().st_size - before
                    detail = f"{calls} calls of squeue in {STATUS_CALLS_S:g} s with {end} jobs in the queue"
                    yield Result("Slurm: status calls per second", calls / STATUS_CALLS_S, None, "/s", detail)
        assert self._front_end.process is not None
        memory = psutil.Process(self._front_end.process.pid).memory_info().rss / 2**20
        yield Result("Slurm: memory of the front end", memory, None, "MB", f"resident, {QUEUED} jobs in the queue")
        self._cluster.run("scancel", "--user=root")

    def _queued(self) -> int:
        shown = self._cluster.run("/usr/bin/squeue", "--noheader", "--states=PENDING", "--format=%j")
        return shown.count("modelarts-")

    def _runs(self) -> list[str]:
        runs = self._folder / "runs"
        return runs.read_text().splitlines() if runs.exists() else []

    def _create(self, ma: ModelArts, name: str, seconds: float) -> str:
        environments = {"RUNS": str(self._folder / "runs"), "SECONDS": str(seconds), "JOB": name}
        algorithm: Any = {"code_dir": "/bench/code/", "boot_file": "/bench/code/train.py", "engine": ENGINE}
        body: Any = {
            "kind": "job",
            "metadata": {"name": name},
            "algorithm": algorithm | {"environments": environments},
            "spec": {"resource": {"flavor_id": "modelarts.vm.cpu.8u", "node_count": 1}},
        }
        deadline = time.monotonic() + 60
        while True:
            try:
                return str(ma.jobs.submit(body).id)
            except (
                ToolkitError,
                ApiError,
                httpx.HTTPError,
            ):  # the front end was killed; a name that exists was created before
                time.sleep(0.5)
                found = ma.v2.training_jobs.list_training_jobs({"filters": [_named(name)]}).items
                if found:
                    return str(found[0].metadata.id)
                if time.monotonic() > deadline:
                    raise

    def _sbatch(self, name: str, seconds: float, log: Path) -> None:
        script = f"#!/bin/sh\nexec {sys.executable} {self._folder / 'code' / 'train.py'}\n"
        variables = {"RUNS": str(self._folder / "runs"), "SECONDS": str(seconds), "JOB": name}
        command = ["sbatch", "--parsable", f"--output={log}", "--cpus-per-task=1", "--mem=64M"]
        subprocess.run(command, input=script, text=True, env=os.environ | variables, check=True, capture_output=True)


def _sleep_up_to_a_second() -> None:
    """Sleep a part of a second: Slurm starts jobs once a second, and a job is to come at any moment between."""
    time.sleep(random.random())


def _named(name: str) -> Any:
    return {"key": "name", "operator": "in", "value": [name]}


def _wait(claim: Callable[[], Any], within_s: float = 60, pause_s: float = 0.02) -> None:
    deadline = time.monotonic() + within_s
    while not claim():
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {within_s:g} s")
        time.sleep(pause_s)

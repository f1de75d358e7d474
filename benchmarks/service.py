"""The emulator's start, its memory, what running jobs cost it, and the cost of a call to it."""

from __future__ import annotations

import os
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import psutil

from benchmarks.example import submit
from benchmarks.load import rate
from benchmarks.result import Pairs, Result
from benchmarks.server import running
from benchmarks.target import Target, token
from modelarts_toolkit import ModelArts

STARTS = 5
CALLS_PER_SAMPLE = 10
RUNNING = 8  # jobs
POLLED_S = 20
MEGABYTE = 1_000_000


def measure() -> list[Result]:
    results = [ready(), idle(), polling()]
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as server:
        os.environ.update(server.environment)
        with ModelArts() as ma, Peak(server.pid) as peak:
            job = submit(ma)
            job.wait()
        detail = f"emulator process alone, {peak.samples} samples while the digits job ran"
        results.append(Result("emulator peak memory while a job runs", peak.bytes / MEGABYTE, None, "MB", detail))
        with ModelArts() as ma:
            results.append(show_job(ma, job.id))
    return results


def ready() -> Result:
    times, work = [], []
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)):
        pass  # the first start after an installation compiles
    for _ in range(STARTS):
        with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as server:
            times.append(server.ready_after)
            used = psutil.Process(server.pid).cpu_times()
            work.append(used.user + used.system)
    spread = f"{min(times):.2f} to {max(times):.2f} s, of which {statistics.median(work):.2f} s are work"
    detail = f"process start to first response, median of {STARTS}: {spread}"
    return Result("emulator ready", statistics.median(times), 0.55, "s", detail)


def idle() -> Result:
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as server:
        with Target(server, Path(folder), "") as target:
            rate(target.port, [target.question("/training-job-flavors"), target.search(limit=10)] * 50, 200)
        resident = psutil.Process(server.pid).memory_info().rss
    return Result("emulator memory, idle", resident / MEGABYTE, 72, "MB", "resident, after 100 requests")


def polling() -> Result:
    with (
        tempfile.TemporaryDirectory() as folder,
        running(Path(folder), "--max-running-jobs", str(RUNNING)) as server,
        Target(server, Path(folder), "import time; time.sleep(3600)") as target,
    ):
        for job_id in [target.create(f"quiet-{number}") for number in range(RUNNING)]:
            target.wait(job_id, "Running", patience=60)
        time.sleep(3)  # after a change the supervisor looks more often for a while
        process = psutil.Process(server.pid)
        before = sum(process.cpu_times()[:2])
        time.sleep(POLLED_S)
        share = (sum(process.cpu_times()[:2]) - before) / POLLED_S
    detail = f"processor time of the emulator's process in {POLLED_S} s without requests"
    return Result(f"{RUNNING} running jobs polled, of a core", share * 100, 2, "%", detail)


class Peak:
    """The highest resident memory of one process, without its children, while the context is open."""

    def __init__(self, pid: int) -> None:
        self.process = psutil.Process(pid)
        self.bytes = 0
        self.samples = 0
        self.done = threading.Event()
        self.thread = threading.Thread(target=self.watch)

    def watch(self) -> None:
        while not self.done.wait(0.05):
            self.bytes = max(self.bytes, self.process.memory_info().rss)
            self.samples += 1

    def __enter__(self) -> Peak:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.done.set()
        self.thread.join()


def timed(call: Callable[[], Any]) -> Callable[[], float]:
    def seconds() -> float:
        began = time.perf_counter()
        for _ in range(CALLS_PER_SAMPLE):
            call()
        return (time.perf_counter() - began) / CALLS_PER_SAMPLE

    return seconds


def show_job(ma: ModelArts, job_id: str) -> Result:
    """The toolkit's call, decoded into its model, against httpx with base URL and token, decoded into a dict."""
    path = f"/v2/{ma.config.project_id}/training-jobs/{job_id}"
    headers = {"X-Auth-Token": token(dict(os.environ))}
    with httpx.Client(base_url=os.environ["MODELARTS_ENDPOINT"], headers=headers) as bare:
        assert bare.get(path).raise_for_status().json()["metadata"]["id"] == job_id
        pairs = Pairs.measure(
            timed(lambda: ma.v2.training_jobs.show_training_job_details(job_id)),
            timed(lambda: bare.get(path).raise_for_status().json()),
            count=60,
            warm_up=3,
        )
    return Result("show-job call / bare httpx with a token", pairs.ratio, None, "×", pairs.detail)

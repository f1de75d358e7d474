"""Many jobs: pages out of very many, two hundred that really run, and how soon a job's script says something."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import psutil

from benchmarks.load import rate
from benchmarks.result import Result
from benchmarks.server import running
from benchmarks.target import Target
from modelarts_emulator import runtime  # noqa: F401 - it imports the modules with all tables of the database
from modelarts_emulator.engine.database import open_database
from modelarts_emulator.settings.data_folder import DataFolder
from modelarts_emulator.v2.jobs import JOBS

STORED = {10_000: 4.5, 100_000: 12.0}  # jobs, and the milliseconds that a page out of so many may take
PAGE = 50
MEGABYTE = 1_000_000
SEARCHES = 40
REAL = 200
TIMEOUT_S = 300  # seconds
LINES = 7
SCRIPT = "print('first line', flush=True)\n"


def measure() -> list[Result]:
    with tempfile.TemporaryDirectory() as folder:
        pages = _pages(Path(folder))
    with (
        tempfile.TemporaryDirectory() as folder,
        running(Path(folder)) as server,
        Target(server, Path(folder), SCRIPT) as target,
    ):
        line = _first_line(target, Path(folder) / "objects" / "benchmarks" / "code" / "train.py")
        return [*pages, line, _real_jobs(target)]


def _pages(folder: Path) -> list[Result]:
    with running(folder) as server, Target(server, folder, SCRIPT) as target:
        job_id = target.create("the-model-of-all")
        target.wait(job_id, "Completed")
        project_id = server.environment["MODELARTS_PROJECT_ID"]
    results, before = [], 1
    for stored, budget in STORED.items():
        _multiply(folder, project_id, job_id, range(before, stored))
        before = stored
        with running(folder, "--max-jobs", str(stored)) as server, Target(server, folder, SCRIPT) as target:
            for where, offset in (("first", 0), ("middle", stored // PAGE // 2), ("last", stored // PAGE - 1)):
                search = target.search(limit=PAGE, offset=offset)
                rates = [rate(target.port, [search] * SEARCHES, 200, connections=1) for _ in range(5)]
                detail = f"one connection, median of 5 × {SEARCHES} calls"
                what, milliseconds = f"{where} page of {PAGE} out of {stored:,} jobs", 1000 / statistics.median(rates)
                results.append(Result(what, milliseconds, budget, "ms", detail))
            memory = psutil.Process(server.pid).memory_info()
            own = (memory.rss - memory.shared) / MEGABYTE  # the pages of the database are mapped, too
            results.append(
                Result(f"emulator memory, {stored:,} jobs", own, 60, "MB", "without mapped files, after searches")
            )
    return results


def _multiply(folder: Path, project_id: str, job_id: str, numbers: range) -> None:
    """Store so many jobs, all like this one, by the emulator's own means."""
    with DataFolder(folder) as data:
        engine = open_database(data.database)
        with engine.begin() as connection:
            model = JOBS.find(connection, project_id, job_id)
            for number in numbers:
                new_id = f"{number:08d}{job_id[8:]}"
                name, create_time = f"job-{number}", model.create_time + number
                metadata = model.document["metadata"] | {"id": new_id, "name": name}
                document = model.document | {"metadata": metadata}
                run = replace(model.run, id=new_id, create_time=create_time)
                copy = replace(model, id=new_id, name=name, create_time=create_time, document=document, run=run)
                JOBS.add_job(connection, copy)
        engine.dispose()


def _first_line(target: Target, script: Path) -> Result:
    differences = []
    for number in range(LINES):
        began = time.perf_counter()
        by_hand = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE)
        assert by_hand.stdout is not None
        by_hand.stdout.readline()
        alone = time.perf_counter() - began
        by_hand.communicate()
        began = time.perf_counter()
        job_id = target.create(f"line-{number}")
        _wait_for_line(target, job_id)
        differences.append(time.perf_counter() - began - alone)
        target.wait(job_id, "Completed")
    detail = f"create to the line in the log's preview, median of {LINES}; by hand {alone:.3f} s at last"
    return Result("first line of the log, later than by hand", statistics.median(differences), 0.2, "s", detail)


def _wait_for_line(target: Target, job_id: str) -> None:
    give_up = time.monotonic() + TIMEOUT_S
    while "first line" not in target.http.get(f"/training-jobs/{job_id}/tasks/worker-0/logs/preview").text:
        if time.monotonic() > give_up:
            raise RuntimeError(f"job {job_id} has said nothing within {TIMEOUT_S} s")
        time.sleep(0.005)


def _real_jobs(target: Target) -> Result:
    before = target.count("Completed")
    began = time.monotonic()
    rate(target.port, [target.creation(f"real-{number}") for number in range(REAL)], 201)
    submitted = time.monotonic() - began
    while target.count("Creating", "Pending", "Running") and time.monotonic() < began + TIMEOUT_S:
        time.sleep(0.2)
    seconds = time.monotonic() - began
    if (completed := target.count("Completed") - before) != REAL:
        raise RuntimeError(f"{completed} of {REAL} jobs completed within {seconds:.0f} s")
    detail = f"submitted within {submitted:.1f} s; as many processes at a time as cores"
    return Result(f"{REAL} real jobs, all completed", seconds, 25, "s", detail)

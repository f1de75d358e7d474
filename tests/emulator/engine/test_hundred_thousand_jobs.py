"""An emulator whose database holds a hundred thousand jobs is as quick to start and to search as one with few."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from modelarts_emulator.engine import events
from modelarts_emulator.engine.database import open_database
from modelarts_emulator.server import Emulator
from modelarts_emulator.v2.jobs import JOBS, Job

FEW, MANY = 1_000, 100_000
START_CPU_S = 1.0
SLOWER = 1.5
MAX_RSS_MIB = 150
PROGRAM = """
import sys, threading
from pathlib import Path
from modelarts_emulator.server import Emulator
with Emulator(Path(sys.argv[1]), executor="simulated", max_jobs=10**6) as emulator:
    user = emulator.identity
    print(emulator.endpoint, user.project_id, user.account, user.user, user.password, user.project, flush=True)
    sys.stdin.read()
"""


def fill(folder: Path, number: int, log_in: Any) -> tuple[Any, str]:
    """Let one simulated job end, and store it as often as asked, in all places that know jobs; its body and its id."""
    with Emulator(folder, executor="simulated") as emulator:
        api = log_in(emulator)
        body = api.job_body()
        job_id = api.create_job(body)["metadata"]["id"]
        project_id = api.identity.project_id
        emulator.clock.advance(3600)
        assert api.phase_of(job_id) == "Completed"
    engine = open_database(folder / "emulator.db")
    ids = [f"{index:08d}{job_id[8:]}" for index in range(1, number)]
    with engine.begin() as connection:
        model = JOBS.find(connection, project_id, job_id)
        for index, new_id in enumerate(ids, 1):
            copy = copied(model, new_id, index)
            JOBS.add_job(connection, copy)
            events.add(connection, [events.Event(new_id, copy.create_time, f"event {each}") for each in range(4)])
    engine.dispose()
    journals = folder / "jobs" / "simulated"
    entries = (journals / f"{job_id}.jsonl").read_bytes()
    for new_id in ids:
        (journals / f"{new_id}.jsonl").write_bytes(entries)
    return body, job_id


def copied(model: Job, new_id: str, index: int) -> Job:
    name, create_time = f"job-{index}", model.create_time + index
    document = model.document | {"metadata": model.document["metadata"] | {"id": new_id, "name": name}}
    run = replace(model.run, id=new_id, create_time=create_time)
    return replace(model, id=new_id, name=name, create_time=create_time, document=document, run=run)


@contextmanager
def serving(folder: Path) -> Iterator[tuple[httpx.Client, int, float]]:
    """A client, the process, and the seconds of processor time that it took to start."""
    process = subprocess.Popen([sys.executable, "-c", PROGRAM, folder], stdin=-1, stdout=-1, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        endpoint, project_id, account, user, password, project = process.stdout.readline().split()
        started = cpu_s(process.pid)
        with httpx.Client(base_url=endpoint, timeout=300) as client:
            login = {"user": {"name": user, "password": password, "domain": {"name": account}}}
            scope = {"project": {"name": project}}
            auth = {"identity": {"methods": ["password"], "password": login}, "scope": scope}
            response = client.post("/v3/auth/tokens", json={"auth": auth})
            client.headers["X-Auth-Token"] = response.headers["X-Subject-Token"]
            client.base_url = httpx.URL(f"{endpoint}/v2/{project_id}")
            yield client, process.pid, started
    finally:
        process.stdin.close()
        process.wait()
        process.stdout.close()


def cpu_s(pid: int) -> float:
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def rss_mib(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text().split()
    return int(status[status.index("VmRSS:") + 1]) // 1024


def call_ms(pid: int, call: Callable[[], httpx.Response]) -> float:
    """The processor time of a call, of server and client: other programs on the machine cost none of it."""
    times = []
    for _ in range(5):
        before = cpu_s(pid) + time.process_time()
        for _ in range(20):
            assert call().is_success
        times.append((cpu_s(pid) + time.process_time() - before) * 1000 / 20)
    return statistics.median(times)


def measured(folder: Path, number: int, log_in: Any) -> dict[str, float]:
    """What an emulator with this number of jobs needs."""
    name = {"key": "name", "operator": "like", "value": ["job-777"]}
    body, job_id = fill(folder, number, log_in)
    with serving(folder) as (client, pid, started):
        time.sleep(1)  # the supervisor has read the tables

        def search(**members: Any) -> httpx.Response:
            return client.post("/training-job-searches", json=members)

        def create() -> httpx.Response:
            return client.post("/training-jobs", json=body | {"metadata": {"name": uuid.uuid4().hex}})

        assert search(limit=1).json()["total"] == number
        return {
            "start_s": started,
            "rss_mib": rss_mib(pid),
            "page_ms": call_ms(pid, partial(search, limit=50)),
            "deep_page_ms": call_ms(pid, partial(search, limit=50, offset=number // 100)),
            "name_ms": call_ms(pid, partial(search, limit=50, filters=[name])),
            "get_ms": call_ms(pid, partial(client.get, f"/training-jobs/{job_id}")),
            "create_ms": call_ms(pid, create),
        }


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_a_hundred_thousand_jobs_cost_neither_memory_nor_time(tmp_path: Path, log_in: Any) -> None:
    """At most 1 s until it serves, 150 MB, and 1.5 times the time for a call that it takes with a thousand jobs.

    Twice the time for a page in the middle, before which 50,000 entries of an index are read.
    """
    few, many = (measured(tmp_path / str(number), number, log_in) for number in (FEW, MANY))

    assert many["start_s"] <= START_CPU_S, (few, many)
    assert many["rss_mib"] <= MAX_RSS_MIB, (few, many)
    assert many["deep_page_ms"] <= 2 * few["deep_page_ms"], (few, many)
    for call in ("page_ms", "get_ms", "create_ms"):
        assert many[call] <= SLOWER * few[call], (call, few, many)
    assert many["name_ms"] <= 40, (few, many)

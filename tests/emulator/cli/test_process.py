"""`modelarts emulator` as a process: its output, its signals, and what outlives it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from modelarts_emulator.server import Emulator
from modelarts_emulator.settings.accounts import load_credentials

MODELARTS = str(Path(sys.executable).with_name("modelarts"))
READY = re.compile(
    r"ModelArts emulator ready: (http://127\.0\.0\.1:\d+) \(objects (http://127\.0\.0\.1:\d+)\),"
    r" project (?:eu-de 6a0c2f4e8b1d4c3f9e5a7b2d1c8f0e34|project-anna a{32}), data in (.+?)(?:; tasks .+)?\n"
)
Start = Callable[..., tuple[Any, str]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts `modelarts emulator`; returns the process and its URL."""
    started: list[subprocess.Popen[str]] = []

    def run(*options: str) -> tuple[Any, str]:
        arguments = [MODELARTS, "emulator", "--port", "0", "--obs-port", "0", "--data-dir", str(tmp_path / "data")]
        arguments += ["--paths", "mapping"]  # tests look for processes by their numbers
        process = subprocess.Popen([*arguments, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stdout is not None
        line = process.stdout.readline()
        ready = READY.fullmatch(line)
        assert ready, line + (process.stderr.read() if process.stderr else "")
        return process, ready[1]

    yield run
    for process in started:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        try:
            process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise


def write_seeds(folder: Path) -> None:
    """Seeds: a bucket with code, and a job that runs it."""
    code = folder / "objects" / "seeded" / "code"
    code.mkdir(parents=True)
    (code / "train.py").write_text("print('seeded')\n")
    job = {
        "kind": "job",
        "metadata": {"name": "seeded"},
        "algorithm": {
            "code_dir": "/seeded/code/",
            "boot_file": "/seeded/code/train.py",
            "engine": {"engine_id": "pytorch_1.8.0-cuda_10.2-py_3.7-ubuntu_18.04-x86_64"},
        },
        "spec": {"resource": {"flavor_id": "modelarts.vm.cpu.8u", "node_count": 1}},
    }
    (folder / "training-jobs").mkdir()
    (folder / "training-jobs" / "seeded.json").write_text(json.dumps(job))


def test_it_prints_one_line_when_ready_and_stops_cleanly_on_a_signal(start: Start) -> None:
    process, url = start()
    assert httpx.get(f"{url}/v3").status_code == 200

    process.send_signal(signal.SIGTERM)
    output, errors = process.communicate(timeout=10)

    assert (process.returncode, output) == (0, "")
    assert 'eval "$(modelarts emulator env --data-dir ' in errors
    assert errors.endswith("\nThe emulator has ended.\n")


def test_simulated_jobs_and_their_clock_survive_a_killed_emulator(start: Start, connect: Callable[[str], Any]) -> None:
    process, url = start("--executor", "simulated")
    api = connect(url)
    api.http.post("/_emulator/clock", json={"freeze": True})
    api.http.post("/_emulator/clock", json={"advance": 3600})  # a clock that is held does not stay behind real time
    job_id = api.create_job()["metadata"]["id"]
    held = api.http.post("/_emulator/clock", json={"advance": 4}).json()
    process.kill()
    process.wait()
    _, url = start("--executor", "simulated")
    api = connect(url)

    assert api.http.get("/_emulator/clock").json() == held
    assert api.phase_of(job_id) == "Running"
    api.http.post("/_emulator/clock", json={"advance": 6})
    status = api.job(job_id)["status"]
    assert (status["phase"], status["duration"]) == ("Completed", 10_000)


def test_the_log_of_an_ended_job_is_there_after_the_emulator_was_killed(
    start: Start, connect: Callable[[str], Any]
) -> None:
    process, url = start("--executor", "simulated")
    api = connect(url)
    job_id = api.create_job()["metadata"]["id"]
    api.http.post("/_emulator/clock", json={"advance": 3600})
    api.wait_for_phase(job_id, "Completed")
    process.kill()
    process.wait()
    _, url = start("--executor", "simulated")
    api = connect(url)

    link = api.call("GET", f"/training-jobs/{job_id}/tasks/worker-0/logs/url").json()["obs_url"]
    assert "exit with 0" in httpx.get(link).text


def names(api: Any) -> list[str]:
    """The names of all jobs that there are."""
    found = api.call("POST", "/training-job-searches", json={"limit": 50}).json()
    return sorted(job["metadata"]["name"] for job in found["items"])


def test_seeds_are_loaded_where_there_is_no_state_also_after_forgetting_it(
    start: Start, connect: Callable[[str], Any], tmp_path: Path, log_in: Any
) -> None:
    """A second start finds what the first one left; one that forgets begins with the seeds, and what it cached."""
    write_seeds(tmp_path / "seeds")
    options: dict[str, Any] = {"executor": "simulated", "seeds": tmp_path / "seeds"}

    with Emulator(tmp_path / "data", **options) as running:
        api = log_in(running)
        assert names(api) == ["seeded"]
        api.create_job(api.job_body() | {"metadata": {"name": "own"}})
    with Emulator(tmp_path / "data", **options) as running:
        assert names(log_in(running)) == ["own", "seeded"]
    with Emulator(tmp_path / "data", **options, forget=True) as running:
        assert names(log_in(running)) == ["seeded"]
    installed = tmp_path / "data" / "environments" / "made"
    installed.mkdir(parents=True)
    _, url = start("--executor", "simulated", "--forget")

    assert names(connect(url)) == []
    assert not (tmp_path / "data" / "objects" / "seeded").exists()
    assert installed.exists()


class Connection:
    """What `log_in` needs to know of an emulator that is another process."""

    def __init__(self, url: str, folder: Path) -> None:
        credentials = load_credentials(folder)
        self.endpoint, self.data_dir = url, folder
        self.identity, self.control_token = credentials.identities[0], credentials.control_token


@pytest.fixture
def connect(tmp_path: Path, log_in: Any) -> Callable[[str], Any]:
    """Logs in to the emulator at a URL with the credentials of its data folder."""
    return lambda url: log_in(Connection(url, tmp_path / "data"))


def endless_job(api: Any) -> tuple[str, int]:
    """A running job whose script ignores SIGTERM, and the script's process."""
    script = b"""
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
with open(os.environ["RUNS"], "a") as runs:
    runs.write("once\\n")
print("pid", os.getpid(), flush=True)
time.sleep(1000)
"""
    api.store.put(api.bucket, "endless/train.py", script)
    runs = {"RUNS": str(api.emulator.data_dir.parent / "runs")}
    folder = f"/{api.bucket}/endless/"
    job_id = api.create_job(api.job_body(code_dir=folder, boot_file=f"{folder}train.py", environments=runs))[
        "metadata"
    ]["id"]
    return job_id, int(api.printed(job_id, "pid")[0])


def test_a_job_survives_a_killed_emulator_and_is_not_run_twice(
    start: Start, connect: Callable[[str], Any], tmp_path: Path
) -> None:
    process, url = start()
    job_id, pid = endless_job(connect(url))

    process.kill()
    process.wait()
    assert psutil.pid_exists(pid)
    _, url = start()
    api = connect(url)

    api.wait_for_phase(job_id, "Running")
    os.kill(pid, signal.SIGKILL)
    status = api.wait_for_phase(job_id, "Failed")["status"]
    assert status["task_statuses"][0]["exit_code"] == 137
    assert (tmp_path / "runs").read_text() == "once\n"


def test_a_second_signal_does_not_wait_for_jobs_that_will_not_end(start: Start, connect: Callable[[str], Any]) -> None:
    process, url = start()
    _, pid = endless_job(connect(url))

    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    process.wait(timeout=5)

    assert process.returncode == 0
    os.kill(pid, signal.SIGKILL)

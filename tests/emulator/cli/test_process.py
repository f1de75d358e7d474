"""`modelarts emulator` as a process: its output, its signals, and what outlives it."""

from __future__ import annotations

import contextlib
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

MODELARTS = str(Path(sys.executable).with_name("modelarts"))
READY = re.compile(
    r"ModelArts emulator ready: (http://127\.0\.0\.1:\d+) \(objects (http://127\.0\.0\.1:\d+)\),"
    r" project (?:eu-de 6a0c2f4e8b1d4c3f9e5a7b2d1c8f0e34|project-anna a{32}), data in (.+?)(?:; tasks .+)?\n"
)
Start = Callable[..., tuple[Any, str]]
ENDLESS = b"""
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("pid", os.getpid(), flush=True)
time.sleep(1000)
"""


def test_a_lack_of_file_descriptors_is_said_once_a_minute(start: Start) -> None:
    """Not with a traceback for each of the connections that wait; afterwards requests are served again."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (100, hard))
    try:
        process, url = start()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    address = ("127.0.0.1", int(url.rpartition(":")[2]))
    with contextlib.ExitStack() as stack:
        for _ in range(150):
            stack.enter_context(socket.create_connection(address))
        time.sleep(2.5)
    assert httpx.get(f"{url}/v3", timeout=300).status_code == 200
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=300)

    assert errors.count("no connection can be accepted") == 1
    assert "Traceback" not in errors


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
            process.communicate(timeout=300)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise


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


class Connection:
    """What `log_in` needs to know of an emulator that is another process."""

    def __init__(self, url: str, folder: Path) -> None:
        found = tomllib.loads((folder / "credentials.toml").read_text("utf-8"))
        self.endpoint, self.data_dir, self.control_token = url, folder, found["control_token"]
        self.identity = SimpleNamespace(project="eu-de", **found["identity"][0])


@pytest.fixture
def connect(tmp_path: Path, log_in: Any) -> Callable[[str], Any]:
    """Logs in to the emulator at a URL with the credentials of its data folder."""
    return lambda url: log_in(Connection(url, tmp_path / "data"))


def test_a_second_signal_does_not_wait_for_jobs_that_will_not_end(start: Start, connect: Callable[[str], Any]) -> None:
    """The controllers of jobs go on, and end them after their grace time."""
    process, url = start()
    api = connect(url)
    job_id = api.run_script(ENDLESS)
    pid = int(api.printed(job_id, "pid")[0])

    process.send_signal(signal.SIGINT)
    with contextlib.suppress(httpx.TransportError):  # it has ended already, on a busy machine
        api.wait_for_phase(job_id, "Terminating")
    process.send_signal(signal.SIGINT)
    process.wait(timeout=300)

    assert process.returncode == 0
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)

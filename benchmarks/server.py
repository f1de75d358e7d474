"""An emulator in a process of its own, as a user starts it."""

from __future__ import annotations

import contextlib
import os
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx

MODELARTS = Path(sys.executable).with_name("modelarts")
# Of another revision, whose package may announce its commands in another way than the one that is installed.
OTHER = [sys.executable, "-c", "from modelarts_emulator.cli.emulator import emulator; emulator()"]
TIMEOUT_S = 20.0
# A user's Python keeps what it has compiled; with this variable, every start would compile what has changed again.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


@dataclass(frozen=True)
class Server:
    """A running emulator: its process, the variables that reach it, and how long it took to respond (seconds)."""

    pid: int
    environment: dict[str, str]
    ready_after: float


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def first_answer(url: str, process: subprocess.Popen[bytes]) -> None:
    """Wait until the URL responds; raise RuntimeError if the process ends first or the time is over."""
    give_up = time.perf_counter() + TIMEOUT_S
    with httpx.Client() as client:
        while time.perf_counter() < give_up:
            if process.poll() is not None:
                raise RuntimeError(f"the emulator ended with status {process.returncode}")
            with contextlib.suppress(httpx.TransportError):
                client.get(url)
                return
            time.sleep(0.005)
    raise RuntimeError(f"the emulator did not respond within {TIMEOUT_S:g} s")


@contextlib.contextmanager
def running(data_dir: Path, *more: str, source: str = "") -> Iterator[Server]:
    """Start an emulator on the folder, with further options; of other directories than the installed ones."""
    port = free_port()
    options = ["--port", str(port), "--obs-port", str(free_port()), "--data-dir", str(data_dir)]
    began = time.perf_counter()
    process = subprocess.Popen(
        [*(OTHER if source else [MODELARTS, "emulator"]), "-q", *options, *more],
        env=ENVIRONMENT | ({"PYTHONPATH": source} if source else {}),
        stdout=subprocess.DEVNULL,
    )
    try:
        first_answer(f"http://127.0.0.1:{port}/v3", process)
        started_s = time.perf_counter() - began
        asked = [str(MODELARTS), "emulator", "env", "--data-dir", str(data_dir)]
        env = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
        exports = [shlex.split(line)[1].partition("=") for line in env.splitlines() if line.startswith("export ")]
        yield Server(process.pid, {**os.environ, **{name: value for name, _, value in exports}}, started_s)
    finally:
        process.terminate()
        process.wait(TIMEOUT_S)

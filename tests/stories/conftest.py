"""A user at a machine: an emulator, the environment it prints, a connected toolkit, and scripts to run as jobs."""

from __future__ import annotations

import re
import shlex
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.databases import PostgresqlServer
from tests.emulator.conftest import eventually as eventually

from modelarts_contract import login
from modelarts_contract.emulator import login_of
from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts
from modelarts_toolkit.settings.config import Config

ROOT = Path(__file__).parents[2]
MODELARTS = str(Path(sys.executable).with_name("modelarts"))
ENGINE: Any = {"engine_id": "pytorch_1.8.0-cuda_10.2-py_3.7-ubuntu_18.04-x86_64"}
Submit = Callable[..., Any]
# Notes its start in the file RUNS, and waits until there is a file RELEASE.
PATIENT = """
import os, pathlib, time
runs, release = pathlib.Path(os.environ["RUNS"]), pathlib.Path(os.environ["RELEASE"])
with runs.open("a") as stream:
    stream.write(os.environ["MA_VJ_NAME"] + "\\n")
print("begun", flush=True)
while not release.exists():
    time.sleep(0.02)
"""


@pytest.fixture
def emulator(tmp_path: Path) -> Iterator[Emulator]:
    with Emulator(data_dir=tmp_path / "emulator", metrics_period=1, stop_grace_s=0.5, check_responses=True) as running:
        yield running


@pytest.fixture
def server(postgresql_server: PostgresqlServer) -> Iterator[PostgresqlServer]:
    """A server that runs again after the test."""
    yield postgresql_server
    postgresql_server.start()


@pytest.fixture
def environment(emulator: Emulator, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The variables of `modelarts emulator env`, set."""
    variables = dict(emulator.environment())
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return variables


@pytest.fixture
def ma(environment: dict[str, str]) -> Iterator[ModelArts]:
    with ModelArts() as connected:
        yield connected


def connect(emulator: Emulator | EmulatorProcess) -> ModelArts:
    """A client of this emulator, whatever the environment says."""
    return ModelArts(config=Config.load(environ=emulator.environment()))


def log_in(environment: dict[str, str], version: str) -> httpx.Client:
    """A client that has logged in by password, of this version of the project's API."""
    token = login.token(environment["MODELARTS_IAM_ENDPOINT"], login_of(environment))
    base = f"{environment['MODELARTS_ENDPOINT']}/{version}/{environment['MODELARTS_PROJECT_ID']}/"
    return httpx.Client(base_url=base, headers={"X-Auth-Token": token}, timeout=300)


def upload(ma: ModelArts, folder: Path, script: str, name: str = "code") -> None:
    """Put the script into object storage as the boot file of jobs whose code is `name`."""
    code = folder / name
    code.mkdir(exist_ok=True)
    (code / "boot.py").write_text(textwrap.dedent(script))
    ma.obs.create_bucket("stories")
    ma.obs.upload(code, f"obs://stories/{name}/")


def job_body(name: str, code: str = "code", nodes: int = 1, annotations: Any = None, **algorithm: Any) -> Any:
    """A job of the script that was uploaded; `algorithm` are further members of this part of the request."""
    program: Any = {"code_dir": f"/stories/{code}/", "boot_file": f"/stories/{code}/boot.py", "engine": ENGINE}
    return {
        "kind": "job",
        "metadata": {"name": name, "annotations": annotations or {}},
        "algorithm": program | algorithm,
        "spec": {"resource": {"flavor_id": "modelarts.vm.cpu.8u", "node_count": nodes}},
    }


@pytest.fixture
def submit(tmp_path: Path) -> Submit:
    """Upload a script's text and submit it as a job; keyword arguments are environment variables of the job."""

    def run(ma: ModelArts, name: str, script: str, **environments: str) -> Any:
        upload(ma, tmp_path, script, name)
        return ma.jobs.submit(job_body(name, name, environments=environments))

    return run


@dataclass
class EmulatorProcess:
    """`modelarts emulator` in a process of its own, which can be killed and started again on the same folder.

    It takes free ports at its first start, and keeps them, because clients know them.
    """

    data_dir: Path
    more: tuple[str, ...] = ()
    process: subprocess.Popen[bytes] | None = None
    ports: tuple[int, int] = (0, 0)

    @property
    def options(self) -> list[str]:
        return ["--port", str(self.ports[0]), "--obs-port", str(self.ports[1]), "--data-dir", str(self.data_dir)]

    @property
    def output(self) -> Path:
        """What it has printed, in all its lives."""
        return self.data_dir.with_name(f"{self.data_dir.name}.output")

    def launch(self) -> subprocess.Popen[bytes]:
        """Start it without waiting until it is ready."""
        with self.output.open("ab") as output:
            self.process = subprocess.Popen(
                [MODELARTS, "emulator", *self.options, "--paths", "mapping", *self.more], stdout=output, stderr=output
            )
        return self.process

    def start(self) -> str:
        """Start it; return the line that says it is ready."""
        printed = self.output.stat().st_size if self.output.exists() else 0
        process = self.launch()

        def ready_line() -> str:
            assert process.poll() is None, self.output.read_text()
            lines = self.output.read_bytes()[printed:].splitlines(keepends=True)
            return next((line.decode() for line in lines if b" ready: " in line and line.endswith(b"\n")), "")

        ready = eventually(ready_line, "the emulator says that it is ready")
        port, obs_port = re.findall(r"http://127\.0\.0\.1:(\d+)", ready)
        self.ports = int(port), int(obs_port)
        return str(ready)

    def environment(self) -> dict[str, str]:
        printed = subprocess.run(
            [MODELARTS, "emulator", "env", "--data-dir", self.data_dir], capture_output=True, text=True, check=True
        ).stdout
        exports = [shlex.split(line)[1].partition("=") for line in printed.splitlines() if line.startswith("export ")]
        return {name: value for name, _, value in exports}

    def end(self, how: signal.Signals) -> int:
        """Send the signal, wait, and return the exit status."""
        assert self.process is not None
        self.process.send_signal(how)
        status = self.process.wait(300)
        self.process = None
        return status


@pytest.fixture
def emulator_process(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[EmulatorProcess]:
    """Running, and the service of the environment; its parameter are further options."""
    emulator = EmulatorProcess(tmp_path / "data", getattr(request, "param", ()))
    emulator.start()
    for name, value in emulator.environment().items():
        monkeypatch.setenv(name, value)
    yield emulator
    if emulator.process is not None:
        emulator.end(signal.SIGINT)

"""The emulator that a run starts for itself, as a process: its users, its addresses, and what its jobs do."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psutil

from modelarts_toolkit.http.transport import tls_context

__all__ = ["Emulator", "EmulatorError", "Identity", "serving"]

# On Linux it ends with the thread that started it, however that ends: prctl(PR_SET_PDEATHSIG, SIGTERM).
PROGRAM = """
import ctypes, sys
from modelarts_toolkit.cli import main
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, 15)
sys.argv[0] = "modelarts"
main()
"""
# Jobs are simulated, a response that no document allows is 500, and chains create hundreds of visualization jobs.
OPTIONS = (
    *("--port", "0", "--obs-port", "0", "--executor", "simulated", "--check-responses"),
    *("--max-visualization-jobs", "10000", "--quiet"),
)
# Beginnings of the names of variables that may lead an emulator to another one's database, or hold a secret.
SERVICES = ("MODELARTS_", "OS_", "AWS_", "HUAWEICLOUD_SDK_")
STOP_LIMIT_S = 20.0
MESSAGE_LINES = 5  # of what an emulator said that did not start


class EmulatorError(Exception):
    """The emulator did not start; the message has its own words."""


@dataclass(frozen=True)
class Identity:
    """A user of the emulator with an account and a project of its own; its secrets are random."""

    name: str
    project_id: str = field(default_factory=lambda: secrets.token_hex(16))
    domain_id: str = field(default_factory=lambda: secrets.token_hex(16))
    user_id: str = field(default_factory=lambda: secrets.token_hex(16))
    password: str = field(default_factory=lambda: secrets.token_hex(16), repr=False)
    access_key: str = field(default_factory=lambda: secrets.token_hex(10).upper())
    secret_key: str = field(default_factory=lambda: secrets.token_hex(16), repr=False)

    @property
    def account(self) -> str:
        return f"account-of-{self.name}"

    @property
    def user(self) -> str:
        return f"user-of-{self.name}"

    @property
    def project(self) -> str:
        return f"project-of-{self.name}"

    def table(self) -> dict[str, str]:
        """As the emulator's file of credentials has it."""
        return {**vars(self), "account": self.account, "user": self.user, "project": self.project}


@dataclass(frozen=True)
class Emulator:
    """A running emulator; `environment` leads clients to it as the first of its identities."""

    environment: dict[str, str] = field(repr=False)
    process: subprocess.Popen[str] = field(repr=False)
    _control_token: str = field(repr=False)

    @property
    def endpoint(self) -> str:
        return self.environment["MODELARTS_ENDPOINT"]

    def plan(self, **plan: Any) -> None:
        """Say what simulated jobs of a name pattern (`job`) do."""
        self._control("plans", plan)

    def freeze(self) -> None:
        """Stop the clock."""
        self._control("clock", {"freeze": True})

    def advance(self, seconds: float) -> None:
        """Move the clock, through everything that happens meanwhile."""
        self._control("clock", {"advance": seconds})

    def _control(self, path: str, body: Any) -> None:
        headers = {"Authorization": f"Bearer {self._control_token}"}
        url, tls = f"{self.endpoint}/_emulator/{path}", tls_context(is_https=False)
        httpx.post(url, json=body, headers=headers, verify=tls, trust_env=False).raise_for_status()

    def cpu_s(self) -> float:
        """The processor time that it has used so far, in seconds."""
        times = psutil.Process(self.process.pid).cpu_times()
        return times.user + times.system


@contextlib.contextmanager
def serving(folder: Path, *identities: Identity) -> Iterator[Emulator]:
    """Serve an emulator with its data below the folder, for these identities; raises EmulatorError."""
    token, file, data = secrets.token_hex(20), folder / "credentials.toml", folder / "data"
    tables = [f"[[identity]]\n{lines(identity.table())}" for identity in identities]
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as output:
        output.write("\n\n".join([f"control_token = {json.dumps(token)}", *tables]) + "\n")
    command = [sys.executable, "-c", PROGRAM, "emulator", "--data-dir", str(data), "--credentials", str(file), *OPTIONS]
    variables = {name: value for name, value in os.environ.items() if not name.startswith(SERVICES)}
    with (folder / "emulator.log").open("w+") as log:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True, env=variables
        )
        assert process.stdout is not None
        with process.stdout as ready:
            try:
                if not ready.readline():  # it prints a line when it serves
                    process.wait()
                    log.seek(0)
                    said = "\n".join(log.read().splitlines()[-MESSAGE_LINES:])
                    raise EmulatorError(f"the emulator did not start (exit status {process.returncode}): {said}")
                state = json.loads((data / "emulator.json").read_text("utf-8"))
                yield Emulator(environment(state, identities[0]), process, token)
            finally:
                process.terminate()
                try:
                    process.wait(STOP_LIMIT_S)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()


def lines(values: Mapping[str, str]) -> str:
    return "\n".join(f"{name} = {json.dumps(value)}" for name, value in values.items() if name != "name")


def environment(state: Mapping[str, Any], identity: Identity) -> dict[str, str]:
    """The variables that lead clients to the emulator as this identity."""
    api = str(state["endpoint"])
    return {
        "MODELARTS_ENDPOINT": api,
        "MODELARTS_IAM_ENDPOINT": api,
        "MODELARTS_OBS_ENDPOINT": str(state["obs_endpoint"]),
        "MODELARTS_PROJECT_ID": identity.project_id,
        "MODELARTS_ACCESS_KEY": identity.access_key,
        "MODELARTS_SECRET_KEY": identity.secret_key,
        "OS_USERNAME": identity.user,
        "OS_PASSWORD": identity.password,
        "OS_USER_DOMAIN_NAME": identity.account,
        "OS_PROJECT_NAME": identity.project,
        "OS_REGION_NAME": str(state.get("region") or "eu-de"),
    }

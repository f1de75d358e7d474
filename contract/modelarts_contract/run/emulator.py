"""The emulator that a run starts for itself, as a process: its addresses, its clock, and what its jobs do."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from modelarts_toolkit.http.transport import tls_context

__all__ = ["Emulator", "EmulatorError", "serving"]

# It ends with its standard input, so with this process, however that ends. Jobs are simulated, a response that no
# document allows is 500, and chains create hundreds of visualization jobs.
OPTIONS = (
    *("--temporary", "--executor", "simulated", "--check-responses"),
    *("--max-visualization-jobs", "10000", "--quiet"),
)
# Beginnings of the names of variables that may lead an emulator to another one's database, or hold a secret.
SERVICES = ("MODELARTS_", "OS_", "AWS_", "HUAWEICLOUD_SDK_")
STOP_LIMIT_S = 20.0
MESSAGE_LINES = 5  # of what an emulator said that did not start


class EmulatorError(Exception):
    """The emulator did not start; the message has its own words."""


@dataclass(frozen=True)
class Emulator:
    """A running emulator; `environment` leads clients to it as the first of its users."""

    environment: dict[str, str] = field(repr=False)

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
        headers = {"Authorization": f"Bearer {self.environment['MODELARTS_EMULATOR_TOKEN']}"}
        url, tls = f"{self.endpoint}/_emulator/{path}", tls_context(is_https=False)
        httpx.post(url, json=body, headers=headers, verify=tls, trust_env=False).raise_for_status()


@contextlib.contextmanager
def serving(folder: Path, *identities: dict[str, str]) -> Iterator[Emulator]:
    """Serve an emulator with its data below the folder, for these users; raises EmulatorError."""
    file = folder / "credentials.toml"
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as output:
        output.write("\n".join(f"[[identity]]\n{lines(each)}" for each in identities or [identity("owner")]))
    program = "import sys; from modelarts_toolkit.cli import main; sys.argv[0] = 'modelarts'; main()"
    command = [sys.executable, "-c", program, "emulator", "--credentials", str(file), *OPTIONS]
    variables = {name: value for name, value in os.environ.items() if not name.startswith(SERVICES)}
    with (folder / "emulator.log").open("w+") as log:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env={**variables, "TMPDIR": str(folder)},
        )
        assert process.stdin is not None
        assert process.stdout is not None
        with process.stdout as ready:
            try:
                if not (line := ready.readline()):
                    process.wait()
                    log.seek(0)
                    said = "\n".join(log.read().splitlines()[-MESSAGE_LINES:])
                    raise EmulatorError(f"the emulator did not start (exit status {process.returncode}): {said}")
                yield Emulator(json.loads(line))
            finally:
                process.stdin.close()
                try:
                    process.wait(STOP_LIMIT_S)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()


def identity(name: str) -> dict[str, str]:
    """A user with an account and a project of its own and random secrets, as a table of the emulator's credentials."""
    names = {what: f"{what}-of-{name}" for what in ("user", "account", "project")}
    random = ("project_id", "domain_id", "user_id", "password", "secret_key")
    return {**names, **{what: secrets.token_hex(16) for what in random}, "access_key": secrets.token_hex(10).upper()}


def lines(values: dict[str, str]) -> str:
    return "".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items())

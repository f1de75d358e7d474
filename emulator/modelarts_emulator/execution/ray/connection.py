"""The connection to Ray: a gateway process in the Python that has Ray."""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, cast

from modelarts_emulator.errors import EmulatorError
from modelarts_emulator.execution.container import inherited

ADDRESS = "RAY_ADDRESS"
"""The variable that names the cluster, `HOST:PORT`, as Ray's own commands read it."""
PYTHON = "MODELARTS_EMULATOR_RAY_PYTHON"
"""The variable that names the Python which Ray is installed in; by default the emulator's own."""
GATEWAY = Path(__file__).with_name("gateway.py")
START_TIMEOUT_S = 60.0
RESPONSE_TIMEOUT_S = 30.0


class RayUnreachableError(Exception):
    """The cluster does not respond now; the message says why."""


def check_python(python: str) -> None:
    """Raise EmulatorError unless this Python has Ray."""
    check = "import importlib.util, sys; sys.exit(importlib.util.find_spec('ray') is None)"
    try:
        has_ray = subprocess.run([python, "-c", check], check=False, stderr=subprocess.DEVNULL).returncode == 0  # noqa: S603
    except OSError:
        has_ray = False
    if not has_ray:
        raise EmulatorError(
            f"--executor ray needs Ray, and {python} does not have it: run \"pip install 'modelarts-toolkit[ray]'\", or"
            f" name the Python of an environment with Ray in the variable {PYTHON}"
        )


def check_address(address: str) -> None:
    """Raise EmulatorError unless this is the address of a cluster."""
    if not re.fullmatch(r"[^\s/]+:\d{1,5}", address):
        said = f"{ADDRESS} is {address!r}" if address else f"--executor ray needs a cluster, and {ADDRESS} is not set"
        raise EmulatorError(
            f"{said}: name the cluster as HOST:PORT, such as 127.0.0.1:6379 after ray start --head --port=6379"
        )


def _environment() -> dict[str, str]:
    """The variables of a process that speaks to Ray: what programs need, and Ray's own."""
    own = {name: value for name, value in os.environ.items() if name.startswith("RAY_")}
    return {**inherited(os.environ), **own, "RAY_USAGE_STATS_ENABLED": "0"}


class Connection:
    """A gateway process, started when it is needed, and again after it has ended."""

    def __init__(self, python: str, address: str) -> None:
        self._python = python
        self._address = address
        self._process: subprocess.Popen[bytes] | None = None

    def call(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Send a request; raises RayUnreachableError if there is no response."""
        process = self.open()
        stdin, stdout = cast(IO[bytes], process.stdin), cast(IO[bytes], process.stdout)
        try:
            stdin.write(json.dumps(request).encode() + b"\n")
            stdin.flush()
            line = _read_line(stdout, RESPONSE_TIMEOUT_S)
        except OSError:
            line = b""
        if not line:
            self.close()
            raise RayUnreachableError("the connection to the cluster was lost")
        response: dict[str, Any] = json.loads(line)
        return response

    def open(self) -> subprocess.Popen[bytes]:
        """The gateway, connected; raises RayUnreachableError."""
        if self._process is not None:
            return self._process
        process = subprocess.Popen(  # noqa: S603 - our own program
            [self._python, str(GATEWAY), self._address],
            env=_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._process = process
        line = _read_line(cast(IO[bytes], process.stdout), START_TIMEOUT_S)
        response = json.loads(line) if line else {"error": "it did not respond"}
        if "error" in response:
            self.close()
            raise RayUnreachableError(f"the cluster at {self._address} cannot be reached: {response['error']}")
        return process

    def close(self) -> None:
        """End the gateway."""
        if (process := self._process) is not None:
            self._process = None
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):  # what could not be sent is still in it
                        pipe.close()


def _read_line(stream: IO[bytes], timeout_s: float) -> bytes:
    """The next line, which the gateway writes at once; empty if none begins in time, or the gateway has ended."""
    poll = select.poll()
    poll.register(stream, select.POLLIN)
    return stream.readline() if poll.poll(timeout_s * 1000) else b""

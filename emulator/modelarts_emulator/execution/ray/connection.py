"""The connection to Ray: a gateway process in the Python that has Ray, and a cluster of this machine if need be."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import secrets
import select
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any, cast

from modelarts_emulator.execution.container import inherited
from modelarts_emulator.execution.local.process_tree import ProcessId
from modelarts_emulator.http.errors import EmulatorError
from modelarts_emulator.storage.files import create_file, replace_file

__all__ = ["ADDRESS", "PYTHON", "Connection", "OwnCluster", "RayUnreachableError", "check_address", "check_python"]

ADDRESS = "RAY_ADDRESS"
"""The variable that names the cluster, `HOST:PORT`, as Ray's own commands read it."""
PYTHON = "MODELARTS_EMULATOR_RAY_PYTHON"
"""The variable that names the Python which Ray is installed in; by default the emulator's own."""
GATEWAY = Path(__file__).with_name("gateway.py")
START_TIMEOUT_S = 60.0
RESPONSE_TIMEOUT_S = 30.0
SHOWN_CHARACTERS = 300
"""Of what a process printed that failed."""


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


def check_address(address: str | None) -> None:
    """Raise EmulatorError unless this is the address of a cluster, or None."""
    if address is not None and not re.fullmatch(r"[^\s/]+:\d{1,5}", address):
        raise EmulatorError(
            f"{ADDRESS} is {address!r}: name the cluster as HOST:PORT, such as 10.0.0.1:6379, or unset the variable to"
            " have a cluster started on this machine"
        )


def _environment(more: Mapping[str, str]) -> dict[str, str]:
    """The variables of a process that speaks to Ray: what programs need, and Ray's own."""
    own = {name: value for name, value in os.environ.items() if name.startswith("RAY_")}
    return {**inherited(os.environ), **own, "RAY_USAGE_STATS_ENABLED": "0", **more}


class OwnCluster:
    """A cluster of this machine that outlives the emulator; its address, process and token are in `folder`."""

    def __init__(self, folder: Path, python: str) -> None:
        self._folder = folder
        self._python = python
        self._record = folder / "cluster.json"
        self.process: subprocess.Popen[bytes] | None = None
        """The cluster, if it was started here."""

    @property
    def environment(self) -> dict[str, str]:
        """The variables of whoever connects to it: on the loopback address only, and only with the token."""
        token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(self._folder / "token")}
        return token | {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}  # elsewhere Ray takes this to mean a cluster of one

    def address(self) -> str:
        """The address of the cluster, which is started unless it runs; raises RayUnreachableError.

        Of several processes that use the folder, one starts it, and the others wait for that.
        """
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._lock():
            found = self._read()
            return found[1] if found is not None and found[0].is_alive() else self._start()

    def _start(self) -> str:
        """Start the cluster, and record it; returns its address."""
        if not (self._folder / "token").exists():
            create_file(self._folder / "token", secrets.token_hex(32).encode())
        with (self._folder / "cluster.log").open("wb") as log:
            self.process = process = subprocess.Popen(  # noqa: S603 - our own program
                [self._python, str(GATEWAY), "cluster"],
                env=_environment(self.environment),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
            )
        output = cast(IO[bytes], process.stdout)
        line = _read_line(output, START_TIMEOUT_S)
        output.close()
        process_id = ProcessId.of(process.pid)
        if not line or process_id is None:
            process.kill()
            process.wait()
            raise RayUnreachableError(f"no cluster could be started: {_tail(self._folder / 'cluster.log')}")
        address = line.decode().strip()
        replace_file(self._record, json.dumps({"process": asdict(process_id), "address": address}).encode())
        return address

    def stop(self) -> None:
        """End the cluster and all that it runs, if it was started."""
        if self._read() is None:
            return
        with self._lock():
            if (found := self._read()) is not None:
                found[0].signal(signal.SIGTERM)
                self._record.unlink(missing_ok=True)

    @contextlib.contextmanager
    def _lock(self) -> Iterator[None]:
        """Keep all other processes from starting or stopping the cluster."""
        with (self._folder / "lock").open("wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _read(self) -> tuple[ProcessId, str] | None:
        """The process of the cluster that was started last, and its address; None if none was."""
        try:
            found = json.loads(self._record.read_bytes())
            return ProcessId(**found["process"]), str(found["address"])
        except (OSError, ValueError, TypeError, KeyError):
            return None


class Connection:
    """A gateway process, started when it is needed, and again after it has ended."""

    def __init__(self, folder: Path, python: str, address: str | None) -> None:
        self._python = python
        self._address = address
        self._cluster = None if address else OwnCluster(folder, python)
        self._process: subprocess.Popen[bytes] | None = None
        self.generation = 0
        """How many gateways there were: each knows only what was sent to it."""

    @property
    def is_open(self) -> bool:
        """Whether there is a gateway."""
        return self._process is not None

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
        cluster = self._cluster
        address = self._address or (cluster.address() if cluster is not None else "")
        more = {} if cluster is None else cluster.environment
        process = subprocess.Popen(  # noqa: S603 - our own program
            [self._python, str(GATEWAY), address, *(() if cluster is None else ("own",))],
            env=_environment(more),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._process = process
        self.generation += 1
        line = _read_line(cast(IO[bytes], process.stdout), START_TIMEOUT_S)
        response = json.loads(line) if line else {"error": "it did not respond"}
        if "error" in response:
            self.close()
            raise RayUnreachableError(f"the cluster at {address} cannot be reached: {response['error']}")
        return process

    def close(self) -> None:
        """End the gateway."""
        if (process := self._process) is not None:
            self._process = None
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    try:
                        pipe.close()
                    except OSError:  # what could not be sent is still in it
                        continue

    def stop_cluster(self) -> None:
        """End the cluster that was started for this emulator, if there is one."""
        if self._cluster is not None:
            self._cluster.stop()


def _read_line(stream: IO[bytes], timeout_s: float) -> bytes:
    """The next line; empty if there is none in time. Nothing may have been read of the stream otherwise."""
    deadline = time.monotonic() + timeout_s
    poll = select.poll()
    poll.register(stream, select.POLLIN)
    data = bytearray()
    while not data.endswith(b"\n"):
        if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
            return b""
        chunk = os.read(stream.fileno(), 1 << 16)
        if not chunk:
            return b""
        data += chunk
    return bytes(data)


def _tail(path: Path) -> str:
    lines = path.read_text("utf-8", "replace").strip().splitlines()
    return lines[-1][-SHOWN_CHARACTERS:] if lines else "it printed nothing"

"""A Ray cluster of the tests' own on this machine: several nodes on the loopback address, reached with a token."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import IO, cast

ROOT = Path(__file__).parents[1]
PYTHON = ROOT / ".cache/engines/ray/bin/python"
PROGRAM = Path(__file__).with_name("ray_nodes.py")


def why_not() -> str | None:
    """Why there is no Ray here; None if there is."""
    return None if PYTHON.with_name("ray").exists() else "Ray is not installed for it: make engine-ray"


class RayCluster:
    """A cluster of this number of nodes; the first one cannot be lost."""

    def __init__(self, node_count: int = 3) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="modelarts-ray-"))
        token = self._folder / "token"
        token.write_text(secrets.token_hex(32))
        token.chmod(0o600)
        self.environment = {
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN_PATH": str(token),
            "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # the loopback address
            "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_TMPDIR": str(self._folder),
            "MODELARTS_EMULATOR_RAY_PYTHON": str(PYTHON),
        }
        self._log = self._folder / "cluster.log"
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [PYTHON, PROGRAM, str(node_count)],
                env={**os.environ, **self.environment},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
            )
        self._stdin, self._stdout = cast(IO[bytes], self._process.stdin), cast(IO[bytes], self._process.stdout)
        line = self._stdout.readline()
        assert line, self._log.read_text()
        started = json.loads(line)
        self.environment["RAY_ADDRESS"] = str(started["address"])
        self.raylets: list[int] = started["raylets"]

    def lose_node(self) -> None:
        """Kill the daemon of the last node."""
        os.kill(self.raylets.pop(), signal.SIGKILL)

    def add_node(self) -> None:
        """Let another node join."""
        self._stdin.write(b"add\n")
        self._stdin.flush()
        self.raylets.append(json.loads(self._stdout.readline()))

    def close(self) -> None:
        """End everything and remove its files."""
        self._stdin.close()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._stdout.close()
        for _ in range(100):  # raylets that were killed with their parent may still write
            shutil.rmtree(self._folder, ignore_errors=True)
            if not self._folder.exists():
                break
            time.sleep(0.05)

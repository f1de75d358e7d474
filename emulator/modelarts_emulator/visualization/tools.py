"""The tools of visualization jobs: TensorBoard as a process of its own, and simulated tools.

This module is also the program of TensorBoard's process. The program reads one line of JSON from standard input
(`logdir`, `path_prefix`), serves that folder of logs, and prints a line with the `url`. Standard input ends when the
emulator closes it or dies, however it dies, so no TensorBoard is left behind. The settings do not stand on the command
line, which other users of the machine can read: anyone who knows the path may read the logs.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import logging
import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
import types
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import IO, Any, Literal, cast

from modelarts_emulator.execution.container import inherited
from modelarts_emulator.storage.protocol import AccountStore

log = logging.getLogger(__name__)

NOT_INSTALLED = (
    "TensorBoard is not installed in the emulator's Python: run \"pip install 'modelarts-toolkit[tensorboard]'\","
    " then restart the visualization job."
)
START_S = 2.0  # from the start until a simulated tool serves
STOP_S = 1.0  # from the request to stop until it has ended
SIMULATED_HOST = "visualization.invalid"  # RFC 6761: a name that no machine ever has
START_TIMEOUT_S = 120.0
RELOAD_INTERVAL_S = 2  # between two looks of TensorBoard for new events
IMPORT_ROOT = Path(__file__).parents[2]
SHOWN_BYTES = 2000  # of the output of a process that failed
HOST = "127.0.0.1"
STUB = "tensorboard.compat.notf"

WsgiApp = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


@dataclass(frozen=True, slots=True)
class ToolState:
    """How far a tool is; `url` is where it serves, `error` why it has ended by itself."""

    phase: Literal["starting", "serving", "stopping", "ended"]
    url: str = ""
    error: str = ""


class Tool:
    """One tool that was started. No call blocks for long; all are right as they are for a tool that has ended."""

    error = ""

    def look(self) -> ToolState:
        """How far the tool is now."""
        return ToolState("ended", error=self.error)

    def stop(self) -> None:
        """Begin to stop the tool, unless that was done."""

    def next_change(self) -> float | None:
        """When the state changes by itself, in seconds since 1970; None if it does not, or nobody knows when."""
        return None

    def close(self) -> None:
        """End the tool now, and delete what it has left behind."""


class SimulatedTool(Tool):
    """A tool without a process, which serves nothing; its states follow `clock`, in seconds since 1970."""

    def __init__(self, clock: Callable[[], float], *_place: object) -> None:
        self._clock = clock
        self._served_at = clock() + START_S
        self._ended_at: float | None = None
        self._url = f"https://{SIMULATED_HOST}/{secrets.token_hex(16)}/"

    def look(self) -> ToolState:
        now = self._clock()
        if self._ended_at is not None:
            return ToolState("ended" if now >= self._ended_at else "stopping")
        return ToolState("serving", self._url) if now >= self._served_at else ToolState("starting")

    def stop(self) -> None:
        if self._ended_at is None:
            self._ended_at = self._clock() + STOP_S

    def next_change(self) -> float | None:
        if self._ended_at is not None:
            return self._ended_at
        return self._served_at if self._clock() < self._served_at else None


class FailedTool(Tool):
    """A tool that could not be started."""

    def __init__(self, error: str) -> None:
        self.error = error


class TensorBoard(Tool):
    """A TensorBoard process that shows what lies in the bucket below the prefix; `folder` is for its files."""

    def __init__(self, store: AccountStore, bucket: str, prefix: str, folder: Path) -> None:
        self._folder = folder
        self._output = folder / "tensorboard.log"
        self._process: subprocess.Popen[bytes] | None = None
        self._printed = b""
        self._start_time = time.monotonic()
        importlib.invalidate_caches()
        if importlib.util.find_spec("tensorboard") is not None:
            self._start(store, bucket, prefix)

    def look(self) -> ToolState:
        if self._process is None:
            return ToolState("ended", error=NOT_INSTALLED)
        if self._process.poll() is not None:
            return ToolState("ended", error=f"TensorBoard ended by itself: {self._last_line()}")
        if b"\n" not in self._printed:
            self._printed += cast(IO[bytes], self._process.stdout).read() or b""
        if b"\n" in self._printed:
            return ToolState("serving", json.loads(self._printed)["url"])
        if time.monotonic() >= self._start_time + START_TIMEOUT_S:
            self._process.kill()
        return ToolState("starting")

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()  # it has nothing to finish

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()  # closes the pipes
        shutil.rmtree(self._folder, ignore_errors=True)

    def _start(self, store: AccountStore, bucket: str, prefix: str) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)  # what a crash left behind
        self._folder.mkdir(mode=0o700, parents=True)
        settings = {"logdir": str(store.local_folder(bucket, prefix)), "path_prefix": f"/{secrets.token_urlsafe(24)}"}
        with self._output.open("wb") as output:
            self._process = subprocess.Popen(  # noqa: S603 - this module
                [sys.executable, "-m", __name__],
                cwd=self._folder,
                env=inherited(os.environ) | {"PYTHONPATH": str(IMPORT_ROOT)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=output,
                start_new_session=True,
            )
        stdin, stdout = cast(IO[bytes], self._process.stdin), cast(IO[bytes], self._process.stdout)
        with contextlib.suppress(BrokenPipeError):  # it has ended; `look` says why
            stdin.write(json.dumps(settings).encode() + b"\n")
            stdin.flush()
        os.set_blocking(stdout.fileno(), False)

    def _last_line(self) -> str:
        with self._output.open("rb") as output:
            output.seek(max(os.fstat(output.fileno()).st_size - SHOWN_BYTES, 0))
            lines = output.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else "it printed nothing."


def check_host(app: WsgiApp) -> WsgiApp:
    """The application, without requests to another host than this machine's loopback address (DNS rebinding)."""

    def checked(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ.get("HTTP_HOST", "").rpartition(":")[0] in (HOST, "localhost"):
            return app(environ, start_response)
        status = HTTPStatus.MISDIRECTED_REQUEST
        start_response(f"{status.value} {status.phrase}", [("Content-Type", "text/plain")])
        return [b"The request is for another host. Open the service_url of the visualization job.\n"]

    return checked


def main() -> None:
    """Serve until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the emulator decides when it is over
    settings = json.loads(sys.stdin.readline())
    # Without TensorFlow, files are opened anew with every look: the object store replaces those that have grown.
    sys.modules[STUB] = types.ModuleType(STUB)
    from tensorboard import default, program

    class Server(program.WerkzeugServer):  # type: ignore[misc]
        def __init__(self, app: WsgiApp, flags: Any) -> None:
            super().__init__(check_host(app), flags)

    board = program.TensorBoard(default.get_plugins(), server_class=Server)
    board.configure(
        host=HOST,
        port=0,
        logdir=settings["logdir"],
        path_prefix=settings["path_prefix"],
        reload_interval=RELOAD_INTERVAL_S,
        reload_multifile=True,
        load_fast="false",
    )
    print(json.dumps({"url": board.launch()}), flush=True)  # noqa: T201 - read by the emulator
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()

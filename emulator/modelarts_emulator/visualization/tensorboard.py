"""TensorBoard as a process of its own.

This module is also the program of that process. The program reads one line of JSON from standard input
(`logdir`, `path_prefix`), serves that folder of logs, and prints a line with the `url`. Standard input ends when the
emulator closes it or dies, however it dies, so no TensorBoard is left behind. The settings do not stand on the command
line, which other users of the machine can read: anyone who knows the path may read the logs.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
import types
from pathlib import Path
from typing import IO, cast

from modelarts_emulator.execution.container import inherited

NOT_INSTALLED = (
    "TensorBoard is not installed in the emulator's Python: run \"pip install 'modelarts-toolkit[tensorboard]'\","
    " then restart the visualization job."
)
START_TIMEOUT_S = 120.0
RELOAD_INTERVAL_S = 2  # between two looks of TensorBoard for new events
IMPORT_ROOT = Path(__file__).parents[2]
SHOWN_BYTES = 2000  # of the output of a process that failed
STUB = "tensorboard.compat.notf"


class TensorBoardError(Exception):
    """TensorBoard cannot be started, or has ended by itself; the message says why."""


class TensorBoard:
    """A TensorBoard process that shows the logs in a folder; `folder` is for its own files.

    No call blocks for long. Raises TensorBoardError if it is not installed.
    """

    def __init__(self, logs: Path, folder: Path) -> None:
        importlib.invalidate_caches()
        if importlib.util.find_spec("tensorboard") is None:
            raise TensorBoardError(NOT_INSTALLED)
        self._folder = folder
        self._output = folder / "tensorboard.log"
        self._printed = b""
        self._start_time = time.monotonic()
        shutil.rmtree(folder, ignore_errors=True)  # what a crash left behind
        folder.mkdir(mode=0o700, parents=True)
        settings = {"logdir": str(logs), "path_prefix": f"/{secrets.token_urlsafe(24)}"}
        with self._output.open("wb") as output:
            self._process = subprocess.Popen(  # noqa: S603 - this module
                [sys.executable, "-m", __name__],
                cwd=folder,
                env=inherited(os.environ) | {"PYTHONPATH": str(IMPORT_ROOT)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=output,
                start_new_session=True,
            )
        stdin, stdout = cast(IO[bytes], self._process.stdin), cast(IO[bytes], self._process.stdout)
        with contextlib.suppress(BrokenPipeError):  # it has ended; `url` says why
            stdin.write(json.dumps(settings).encode() + b"\n")
            stdin.flush()
        os.set_blocking(stdout.fileno(), False)

    def url(self) -> str:
        """Where it serves, empty as long as it starts; raises TensorBoardError if it has ended by itself."""
        if self._process.poll() is not None:
            raise TensorBoardError(f"TensorBoard ended by itself: {self._last_line()}")
        if b"\n" not in self._printed:
            self._printed += cast(IO[bytes], self._process.stdout).read() or b""
        if b"\n" in self._printed:
            return str(json.loads(self._printed)["url"])
        if time.monotonic() >= self._start_time + START_TIMEOUT_S:
            self._process.kill()
        return ""

    def close(self) -> None:
        """End it now, and delete what it has left behind."""
        self._process.kill()  # it has nothing to finish
        self._process.communicate()  # closes the pipes
        shutil.rmtree(self._folder, ignore_errors=True)

    def _last_line(self) -> str:
        with self._output.open("rb") as output:
            output.seek(max(os.fstat(output.fileno()).st_size - SHOWN_BYTES, 0))
            lines = output.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else "it printed nothing."


def main() -> None:
    """Serve until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the emulator decides when it is over
    settings = json.loads(sys.stdin.readline())
    # Without TensorFlow, files are opened anew with every look: the object store replaces those that have grown.
    sys.modules[STUB] = types.ModuleType(STUB)
    from tensorboard import default, program

    board = program.TensorBoard(default.get_plugins(), server_class=program.WerkzeugServer)
    board.configure(
        host="127.0.0.1",
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

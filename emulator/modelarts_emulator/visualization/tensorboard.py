"""TensorBoard as a process of its own, which ends with the emulator."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import secrets
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import IO, cast

from modelarts_emulator.execution.container import inherited
from modelarts_emulator.storage.protocol import Store
from modelarts_emulator.visualization.log_mirror import LogMirror
from modelarts_emulator.visualization.tool import ToolState

__all__ = ["NOT_INSTALLED", "TensorBoard"]

NOT_INSTALLED = (
    "TensorBoard is not installed in the emulator's Python: run \"pip install 'modelarts-toolkit[tensorboard]'\","
    " then restart the visualization job."
)
START_TIMEOUT_S = 120.0
STOP_TIMEOUT_S = 5.0
IMPORT_ROOT = Path(__file__).parents[2]
SHOWN_BYTES = 2000  # of the output of a process that failed


class TensorBoard:
    """A TensorBoard process that shows what lies in the bucket below the prefix; `folder` is for its files."""

    def __init__(self, store: Store, bucket: str, prefix: str, folder: Path) -> None:
        self._folder = folder
        self._output = folder / "tensorboard.log"
        self._mirror: LogMirror | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._printed = b""
        self._url = ""
        self._stop_time: float | None = None
        self._start_time = time.monotonic()
        importlib.invalidate_caches()
        if importlib.util.find_spec("tensorboard") is not None:
            self._start(store, bucket, prefix)

    def look(self) -> ToolState:
        if self._process is None:
            return ToolState("ended", error=NOT_INSTALLED)
        if self._process.poll() is not None:
            return ToolState("ended", error=f"TensorBoard ended by itself: {self._last_line()}")
        if self._stop_time is not None:
            if time.monotonic() >= self._stop_time + STOP_TIMEOUT_S:
                self._process.kill()
            return ToolState("stopping")
        if self._mirror is not None:
            self._mirror.refresh()
        if not self._url:
            self._read_url(self._process)
        if self._url:
            return ToolState("serving", self._url)
        if time.monotonic() >= self._start_time + START_TIMEOUT_S:
            self._process.kill()
        return ToolState("starting")

    def stop(self) -> None:
        if self._process is not None and self._stop_time is None:
            self._stop_time = time.monotonic()
            _close_pipes(self._process)

    def next_change(self) -> float | None:
        return None

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            _close_pipes(self._process)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _start(self, store: Store, bucket: str, prefix: str) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)  # what a crash left behind
        self._folder.mkdir(mode=0o700, parents=True)
        logdir = store.local_folder(bucket, prefix)
        if logdir is None:
            logdir = self._folder / "logs"
            self._mirror = LogMirror(store, bucket, prefix, logdir)
        settings = {"logdir": str(logdir), "path_prefix": f"/{secrets.token_urlsafe(24)}"}
        with self._output.open("wb") as output:
            self._process = subprocess.Popen(  # noqa: S603 - a program of this package
                [sys.executable, "-m", f"{__package__}.tensorboard_server"],
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

    def _read_url(self, process: subprocess.Popen[bytes]) -> None:
        self._printed += cast(IO[bytes], process.stdout).read() or b""
        line, is_complete, _ = self._printed.partition(b"\n")
        if is_complete:
            self._url = json.loads(line)["url"]

    def _last_line(self) -> str:
        with self._output.open("rb") as output:
            output.seek(max(os.fstat(output.fileno()).st_size - SHOWN_BYTES, 0))
            lines = output.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else "it printed nothing."


def _close_pipes(process: subprocess.Popen[bytes]) -> None:
    """Close the process's standard input, at whose end it ends, and stop reading its output."""
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()

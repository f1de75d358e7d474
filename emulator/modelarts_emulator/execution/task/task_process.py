"""The user's process with all its descendants: how it is started, stopped and waited for, and the log of its output."""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import psutil

from modelarts_emulator.execution.container import HOSTS, Container
from modelarts_emulator.execution.devices import Device
from modelarts_emulator.execution.protocol import FAILED, service_line
from modelarts_emulator.execution.task.namespaces import Launch, PathMode, die_with, reset_process, start
from modelarts_emulator.execution.task.process_tree import own_descendants

LOG_LIMIT = 1 << 30
"""Bytes of the user's output that are kept: the number at which the service's `modelarts-pipe` goes silent."""

CHANGES = ".changes"
"""The directory in a container's folder for what its task changes in packages of the machine."""

_GPUS = Path("/proc/driver/nvidia/gpus")

_DRAIN_S = 5.0
"""How long output is read after all writers were killed: some cannot die at once."""
_CHUNK_BYTES = 1 << 16


class TaskLog:
    """Appends to the log file, from any thread; what was appended is visible to readers at once."""

    def __init__(self, path: Path, limit: int = LOG_LIMIT) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        self._limit = limit
        # An earlier attempt may have written already; beyond the limit, it has said so.
        size = os.fstat(self._file).st_size
        self._room = limit - size if size <= limit else -1
        self._at_line_start = not size or os.pread(self._file, 1, size - 1) == b"\n"
        self._lock = threading.Lock()

    def output(self, data: bytes) -> None:
        """Append output of the user's process; beyond the limit it is dropped, after one line that says so."""
        if self._room < 0:
            return
        kept = data[: self._room]
        self._append(kept)
        self._room -= len(kept)
        if len(kept) < len(data):
            self._room = -1
            message = (
                f"the log holds {self._limit} bytes of output, no more; the process will continue running silently"
            )
            self.service(message, "WARNING")

    def service(self, message: str, level: Literal["INFO", "WARNING", "ERROR"] = "INFO") -> None:
        """Append a line of the service, on a line of its own."""
        line = f"{service_line(message, time.time(), level)}\n"
        self._append(line.encode(errors="backslashreplace"), own_line=True)

    def _append(self, data: bytes, own_line: bool = False) -> None:
        """Append to the file; what a full disk does not take is lost."""
        with self._lock, contextlib.suppress(OSError):
            view = memoryview(b"\n" + data if own_line and not self._at_line_start else data)
            while view:
                written = os.write(self._file, view)
                self._at_line_start = view[written - 1] == ord("\n")
                view = view[written:]


class TaskProcess:
    """The process of one task, started at once; `output` is the descriptor from which its output is read.

    In a namespace it changes the directories of `covered` for itself alone.
    """

    def __init__(
        self,
        container: Container,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        paths: PathMode,
        log: TaskLog,
        covered: Sequence[str] = (),
    ) -> None:
        self._log = log
        self._has_init = paths == "namespace"
        self.exit_code: int | None = None
        """Negative for a process that a signal ended; None as long as it runs."""
        self.output, sender = os.pipe()
        try:
            if self._has_init:
                self.pid = start(_plan(container, covered), arguments, environment, sender)
            else:
                leader = subprocess.Popen(  # noqa: S603 - running the user's program is the purpose
                    arguments,
                    cwd=container.working_dir,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=sender,
                    stderr=sender,
                    start_new_session=True,
                    preexec_fn=functools.partial(_begin, os.getpid()),
                )
                leader.returncode = 0  # `reap` waits for it
                self.pid = leader.pid
        except BaseException:
            os.close(self.output)
            raise
        finally:
            os.close(sender)
        os.set_blocking(self.output, False)

    def terminate(self) -> None:
        """Ask all processes to end: SIGTERM, once, and SIGCONT to those that were stopped."""
        for process in own_descendants():
            with contextlib.suppress(psutil.Error):
                if not self._has_init:
                    process.terminate()
                process.resume()
        if self._has_init:  # passes it on to every process of its namespace
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGTERM)

    def copy_output(self) -> bool:
        """Copy what there is to the log, at most one piece; False at the end of the output."""
        try:
            data = os.read(self.output, _CHUNK_BYTES)
        except BlockingIOError:
            return True
        self._log.output(data)
        return bool(data)

    def drain(self) -> None:
        """Copy what is left in the pipe; its writers are dead, or will not die."""
        deadline = time.monotonic() + _DRAIN_S
        with contextlib.suppress(BlockingIOError):
            while time.monotonic() < deadline and (data := os.read(self.output, _CHUNK_BYTES)):
                self._log.output(data)
        os.close(self.output)

    def reap(self) -> None:
        """Take the exit status of every child and adopted process."""
        with contextlib.suppress(ChildProcessError):
            while (found := os.waitpid(-1, os.WNOHANG))[0]:
                if found[0] == self.pid:
                    self.exit_code = os.waitstatus_to_exitcode(found[1])

    def result(self) -> tuple[int, str | None]:
        """The exit code as a shell counts it, and the signal that it stands for, if it does."""
        code = FAILED if self.exit_code is None else self.exit_code
        code = code if code >= 0 else 128 - code
        names = {128 + number: number.name for number in signal.Signals}
        return code, f"ended by signal {names[code]}" if code in names else None


def _begin(parent: int) -> None:
    die_with(parent)
    reset_process()


def _plan(container: Container, covered: Sequence[str]) -> Launch:
    """How to run the container's program behind mounts."""
    root, changes = container.folder / ".root", container.folder / CHANGES
    root.mkdir(exist_ok=True)
    changes.mkdir(exist_ok=True)
    if container.job.node_count > 1:
        hosts = container.map(HOSTS)
        hosts.parent.mkdir(exist_ok=True)
        hosts.write_text(container.hosts_file(_text_of(Path(HOSTS))))
    closed = () if container.devices is None else _files_of_others(container.devices)
    return Launch(container.documented_working_dir, container.mounts(), str(root), covered, str(changes), closed)


def _files_of_others(own: Sequence[Device]) -> list[str]:
    """The device files of NVIDIA's cards except these, and the cards of these slices.

    Source: README of NVIDIA's driver for Linux, "Proc Filesystem Interface". A card that nobody uses can have question
    marks in place of its UUID, and may be one of these.
    """
    cards = {device.card or device.id for device in own}
    files = []
    for path in _GPUS.glob("*/information"):
        lines = (line.partition(":") for line in _text_of(path).splitlines())
        facts = {name: value.strip() for name, _, value in lines}
        card, minor = facts.get("GPU UUID", "?"), facts.get("Device Minor", "")
        if minor and card not in cards and "?" not in card:
            files.append(f"/dev/nvidia{minor}")
    return files


def _text_of(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""

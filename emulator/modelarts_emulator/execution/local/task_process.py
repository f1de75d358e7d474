"""The user's process with all its descendants: how it is started, stopped and waited for, and what it prints."""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence

import psutil

from modelarts_emulator.execution.container import Container
from modelarts_emulator.execution.local.namespaces import Launch, PathMode, launcher_command
from modelarts_emulator.execution.local.process_control import die_with
from modelarts_emulator.execution.local.process_tree import own_descendants
from modelarts_emulator.execution.local.task_log import TaskLog

__all__ = ["TaskProcess"]

_DRAIN_S = 5.0
"""How long output is read after all writers were killed: some cannot die at once."""
_FAILED = 1
_CHUNK_BYTES = 1 << 16


class TaskProcess:
    """The process of one task, started at once; `output` is the descriptor from which its output is read."""

    def __init__(
        self,
        container: Container,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        paths: PathMode,
        log: TaskLog,
    ) -> None:
        self._log = log
        self._has_init = paths == "namespace"
        self.exit_code: int | None = None
        """Negative for a process that a signal ended; None as long as it runs."""
        directory = container.working_dir
        if paths != "mapping":
            root = container.folder / ".root"
            root.mkdir(exist_ok=True)
            seen = container.seen(container.documented_working_dir)
            plan = Launch(seen, container.mounts(), str(root), os.getpid(), self._has_init)
            arguments, directory = launcher_command(plan, arguments), container.folder
        self.output, sender = os.pipe()
        try:
            self._leader = subprocess.Popen(  # noqa: S603 - running the user's program is the purpose
                arguments,
                cwd=directory,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=sender,
                stderr=sender,
                start_new_session=True,
                preexec_fn=functools.partial(die_with, os.getpid()),
            )
        except BaseException:
            os.close(self.output)
            raise
        finally:
            os.close(sender)
        os.set_blocking(self.output, False)

    @property
    def pid(self) -> int:
        return self._leader.pid

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
                    self.exit_code = self._leader.returncode = os.waitstatus_to_exitcode(found[1])

    def result(self) -> tuple[int, str | None]:
        """The exit code as a shell counts it, and the signal that ended the process if one did."""
        code = _FAILED if self.exit_code is None else self.exit_code
        return (code, None) if code >= 0 else (128 - code, f"ended by signal {_signal_name(-code)}")


def _signal_name(number: int) -> str:
    """The name of a signal; Python has names for the first and the last real-time signal only."""
    is_real_time = hasattr(signal, "SIGRTMIN") and signal.SIGRTMIN < number < signal.SIGRTMAX
    return f"SIGRTMIN+{number - signal.SIGRTMIN}" if is_real_time else signal.Signals(number).name

"""The process that owns one task: it fetches, starts, watches, ends and delivers, and writes down how it went.

Started by the process executor as `python -m modelarts_emulator.executors.controller <task folder>`, in a session of
its own, so that it outlives the emulator. It adopts every process that the user's process leaves behind.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import selectors
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import psutil

from modelarts_emulator.objects.store import ObjectStore

from . import records, staging
from .container import Container
from .log import TaskLog
from .meter import Meter, count_gpus
from .processes import ProcessId, descendants, kill_all

STOPPED = 128 + signal.SIGTERM
FAILED = 1
_TICK = 0.5
_DRAIN = 5.0
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_LIBC = ctypes.CDLL(None)


class _Stopped(Exception):  # noqa: N818 - not an error
    """The task is to end before its process has started."""


class Controller:
    """One task from its claim to its exit record."""

    def __init__(self, folder: Path, spec: dict[str, Any]) -> None:
        job = records.spec_from_json(spec["job"])
        self._settings = spec["settings"]
        self._container = Container(job, int(folder.name.rpartition("-")[2]), folder)
        self._folder = folder
        self._store = ObjectStore(Path(self._settings["objects"]))
        self._log = TaskLog(folder / records.LOG, self._settings["log_limit"])
        self._started_at: float | None = None
        self._stopping: str | None = None
        self._deadline = float("inf")
        self._is_delivered = True
        self._watch_due = 0.0
        self._has_obeyed = False
        self._preparing = False
        self._leader: subprocess.Popen[bytes] | None = None
        self._exit_code: int | None = None
        self._uploader = staging.Uploader(self._container, self._store)
        self._done = threading.Event()

    def request_stop(self, reason: str) -> None:
        """Begin to end the task; the first reason stands."""
        if self._stopping is None:
            self._stopping = reason
            if self._preparing:
                raise _Stopped
            self._terminate()

    def run(self) -> records.Exit:
        """Everything; returns how it went, with outputs and log delivered."""
        container, log = self._container, self._log
        message: str | None
        try:
            self._prepare()
            code, message = self._execute()
        except _Stopped:
            code, message = STOPPED, f"{self._stopping} before it started"
            log.service(message)
        except (staging.StagingError, OSError, ValueError) as error:
            code, message = FAILED, str(error)
            log.service(message, "ERROR")
        ended_at = time.time()
        log.service(f"{container.task} exit with {code}")
        if self._started_at is not None:
            code, message = self._deliver(code, message)
        with contextlib.suppress(staging.StagingError):
            staging.export_log(container, self._store, self._folder / records.LOG)
        return records.Exit(self._started_at, ended_at, code, message)

    def clean(self) -> None:
        """Remove the container's directories, as the service does, unless they hold what was not delivered."""
        if self._is_delivered:
            for path in self._folder.iterdir():
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path, ignore_errors=True)

    def _prepare(self) -> None:
        try:
            self._preparing = True
            if (self._folder.parent / records.STOP).exists():
                self.request_stop("stopped")
            self._log.service(f"{self._container.task} is fetching code and inputs")
            staging.fetch(self._container, self._store)
        finally:
            self._preparing = False

    def _execute(self) -> tuple[int, str | None]:
        """Run the user's process to its end; returns the exit code, and why if the code does not tell."""
        self._log.service(f"{self._container.task} is starting {self._container.job.boot_file or 'its command'}")
        meter = Meter(self._folder / records.METRICS, self._settings["metrics_period"])
        output = self._spawn()
        threads = [
            threading.Thread(target=self._measure, args=(meter,), daemon=True),
            threading.Thread(target=self._upload_periodically, daemon=True),
        ]
        for thread in threads:
            thread.start()
        self._pump(output)
        kill_all(lambda: descendants(os.getpid()))
        self._drain(output)
        self._done.set()
        for thread in threads:
            thread.join()
        self._reap()
        self._leader = None
        code = FAILED if self._exit_code is None else self._exit_code
        if code < 0:
            name = signal.Signals(-code).name
            return 128 - code, self._stopping or f"ended by signal {name}"
        return code, self._stopping

    def _spawn(self) -> int:
        """Start the boot file or command; returns the end of the pipe that its output comes from."""
        container, python = self._container, self._settings["python"]
        if container.job.command is not None:
            arguments = ["/bin/sh", "-c", container.map_text(container.job.command)]
        else:
            arguments = [python, "-u", str(staging.boot_file(container)), *container.arguments()]
        if not container.working_dir.is_dir():
            wanted = container.job.working_dir
            raise staging.StagingError(f"working_dir {wanted} is not in the fetched code, nor a directory of the task")
        receiver, sender = os.pipe()
        try:
            self._leader = subprocess.Popen(  # noqa: S603 - running the user's program is the purpose
                arguments,
                cwd=container.working_dir,
                env=container.environment(python, os.environ, count_gpus()),
                stdin=subprocess.DEVNULL,
                stdout=sender,
                stderr=sender,
                start_new_session=True,
                preexec_fn=_die_with_parent,
            )
        except BaseException:
            os.close(receiver)
            raise
        finally:
            os.close(sender)
        self._started_at = time.time()
        process = ProcessId.of(self._leader.pid)
        record = {"started_at": self._started_at, "process": asdict(process) if process else None}
        records.write(self._folder / records.PROCESS, record)
        if self._stopping is not None:
            self._terminate()
        return receiver

    def _pump(self, output: int) -> None:
        """Copy output to the log until the process has ended, or has been given long enough to do so."""
        wake, waker = os.pipe()
        os.set_blocking(waker, False)
        os.set_blocking(wake, False)
        os.set_blocking(output, False)
        signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        with selectors.DefaultSelector() as selector:
            selector.register(output, selectors.EVENT_READ)
            selector.register(wake, selectors.EVENT_READ)
            while not self._is_over():
                for key, _ in selector.select(max(0.0, self._watch_due - time.monotonic())):
                    if key.fd == wake:
                        os.read(wake, 4096)
                    elif not self._copy(output):
                        selector.unregister(output)
                self._reap()
                self._watch()

    def _is_over(self) -> bool:
        """With its process, a container ends; when it is asked to end, all its processes get time to obey."""
        return self._exit_code is not None if self._stopping is None else self._has_obeyed

    def _watch(self) -> None:
        """Look around, but not for every piece of output."""
        if time.monotonic() >= self._watch_due:
            self._watch_due = time.monotonic() + (_TICK if self._stopping is None else _TICK / 20)
            self._watch_peers()
            if self._stopping is not None:
                self._has_obeyed = time.monotonic() > self._deadline or not descendants(os.getpid())

    def _copy(self, output: int) -> bool:
        """Copy what there is, at most one piece; False at the end of the output."""
        try:
            data = os.read(output, 1 << 16)
        except BlockingIOError:
            return True
        self._log.output(data)
        return bool(data)

    def _drain(self, output: int) -> None:
        """Copy what is left in the pipe; its writers are dead, or will not die."""
        deadline = time.monotonic() + _DRAIN
        os.set_blocking(output, False)
        with contextlib.suppress(BlockingIOError):
            while time.monotonic() < deadline and (data := os.read(output, 1 << 16)):
                self._log.output(data)
        os.close(output)

    def _reap(self) -> None:
        """Take the exit status of every child and adopted process."""
        with contextlib.suppress(ChildProcessError):
            while (found := os.waitpid(-1, os.WNOHANG))[0]:
                if self._leader is not None and found[0] == self._leader.pid:
                    self._exit_code = self._leader.returncode = os.waitstatus_to_exitcode(found[1])

    def _watch_peers(self) -> None:
        """A job fails as a whole: when another node's task has failed, this one ends, too."""
        for index in range(self._container.job.node_count):
            if index != self._container.index and self._stopping is None:
                peer = records.read_exit(self._folder.parent / f"worker-{index}")
                if peer is not None and peer.exit_code != 0:
                    self.request_stop(f"stopped because worker-{index} ended with exit code {peer.exit_code}")

    def _terminate(self) -> None:
        if self._leader is not None:
            self._watch_due = 0.0
            self._deadline = time.monotonic() + self._settings["grace"]
            for process in descendants(os.getpid()):
                with contextlib.suppress(psutil.Error):
                    process.terminate()

    def _measure(self, meter: Meter) -> None:
        with contextlib.suppress(OSError):
            while not self._done.wait(meter.interval):
                meter.sample()
            meter.finish()

    def _upload_periodically(self) -> None:
        while not self._done.wait(self._settings["upload_period"]):
            try:
                self._uploader.upload()
            except staging.StagingError as error:
                self._log.service(f"{error}; the next upload tries again", "WARNING")

    def _deliver(self, code: int, message: str | None) -> tuple[int, str | None]:
        """Upload the outputs; a task whose outputs are lost has not succeeded."""
        try:
            count = self._uploader.upload()
        except staging.StagingError as error:
            self._is_delivered = False
            problem = f"{error}; the files remain in {self._folder}"
            self._log.service(problem, "ERROR")
            return code or FAILED, message or problem
        if self._container.job.outputs:
            self._log.service(f"{self._container.task} training output uploaded, {count} new or changed file(s)")
        return code, message


def _die_with_parent() -> None:
    """In the child, before it becomes the user's program: if the controller is killed, so is this process."""
    if sys.platform == "linux":
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def main(arguments: list[str]) -> int:
    """Run the task in the folder that is named, unless another controller has claimed it; 0 if all was written down."""
    folder = Path(arguments[0])
    spec = records.read(folder.parent / records.SPEC)
    me = ProcessId.of(os.getpid())
    if spec is None or me is None or not folder.is_dir():
        return 0  # removed before it began
    pending: list[int] = []
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda number, _: pending.append(number))
    if not records.write_once(folder / records.CLAIM, asdict(me)):
        return 0
    if sys.platform == "linux":
        _LIBC.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    controller = Controller(folder, spec)
    try:
        signal.signal(signal.SIGTERM, lambda *_: controller.request_stop("stopped"))
        if pending:
            (folder.parent / records.STOP).touch()
        end = controller.run()
    except BaseException as error:
        kill_all(lambda: descendants(os.getpid()))
        message = f"the emulator's controller failed: {type(error).__name__}: {error}"
        records.write_exit(folder, records.Exit(None, time.time(), FAILED, message))
        raise
    records.write_exit(folder, end)
    controller.clean()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

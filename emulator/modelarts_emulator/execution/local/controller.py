"""The process that owns one task: it fetches, starts, watches, ends and delivers, and writes down how it went.

Started by the process executor, with the task's place as arguments, in a session of its own, so that it outlives the
emulator. It adopts every process that the user's process leaves behind.
SIGTERM asks it to end the task, SIGUSR1 to look what has befallen it.
"""

from __future__ import annotations

import contextlib
import functools
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal, TypeVar

import psutil

from modelarts_emulator.execution.local import interpreter, json_files, process_tree, records, staging
from modelarts_emulator.execution.local.container import Container
from modelarts_emulator.execution.local.process_control import adopt_orphans, die_with
from modelarts_emulator.execution.local.records import TaskPlace
from modelarts_emulator.execution.local.task_log import TaskLog
from modelarts_emulator.execution.local.usage import Meter
from modelarts_emulator.execution.protocol import STOPPED, FailureKind, TaskEvent
from modelarts_emulator.storage.directories import remove_tree
from modelarts_emulator.storage.opening import open_store

T = TypeVar("T")

FAILED = 1
_TICK = 0.5
_DRAIN = 5.0


class _Stopped(Exception):  # noqa: N818 - not an error
    """The task is to end before its process has started."""


class Controller:
    """One task from its claim to its exit record."""

    def __init__(self, place: TaskPlace, spec: dict[str, Any]) -> None:
        job = records.spec_from_json(spec["job"])
        self._settings = spec["settings"]
        self._place = place
        self._container = Container(job, place.index, place.container)
        self._store = open_store(self._settings["objects"])
        self._log = TaskLog(place.log, self._settings["log_limit"])
        self._started_at: float | None = None
        self._stopping: str | None = None
        self._failure: FailureKind | None = None
        self._deadline = float("inf")
        self._is_delivered = True
        self._watch_due = 0.0
        self._all_ended = False
        self._preparing = False
        self._python = interpreter.Interpreter(self._settings["python"], ())
        self._leader: subprocess.Popen[bytes] | None = None
        self._exit_code: int | None = None
        self._uploader = staging.Uploader(self._container, self._store)
        self._done = threading.Event()

    def handle_sigterm(self) -> None:
        """End the task because the service wants it."""
        is_wanted = self._place.stop.exists() or records.read_failure(self._place) != "preempted"
        self._request_stop("stopped" if is_wanted else "preempted")

    def apply_failure(self) -> None:
        """Let happen to the task's processes what has befallen it."""
        if self._leader is None or self._stopping is not None:
            return
        kind = records.read_failure(self._place)
        if kind == "hung":
            self._failure = kind
            process_tree.freeze_all(process_tree.own_descendants)
        elif kind == "disk_full":
            self._failure = kind
            process_tree.forbid_writing(process_tree.own_descendants)

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
        finally:
            process_tree.kill_all(process_tree.own_descendants)
            self._leader = None
        ended_at = time.time()
        log.service(f"{container.task} exit with {code}")
        if self._started_at is not None:
            self._tell(f"Training finished. Exit code {code}.")
            code, message = self._deliver(code, message)
        try:
            staging.export_log(container, self._store, self._place.log)
        except staging.StagingError as error:
            log.service(str(error), "WARNING")
            self._tell(str(error), "Warning")
        return records.Exit(self._started_at, ended_at, code, message, self._cause(code))

    def record(self, end: records.Exit) -> None:
        """Write the exit record, as soon as there is room for it; raises OSError if there is none in time."""
        self.persist("exit record", lambda: records.write_exit(self._place, end))

    def persist(self, what: str, action: Callable[[], T]) -> T:
        """Do what needs room on the disk, and wait for room if there is none; raises OSError if there is none in time.

        A job that has ended must not get another end because the disk is full for a while.
        """
        timeout_s = self._settings["full_disk_timeout"]

        def tell(error: OSError) -> None:
            sentence = f"{what}: {error}; waiting up to {timeout_s:g} s for room on the disk"
            self._log.service(sentence, "WARNING")
            self._tell(sentence, "Warning")

        return json_files.retry(action, timeout_s, tell)

    def move_aside(self) -> Path | None:
        """Put the container's directories aside, for removal, unless they hold what was not delivered."""
        aside = self._place.container.with_name(f".{self._place.task}.{self._place.attempt}")
        if self._is_delivered:
            with contextlib.suppress(OSError):
                return self._place.container.rename(aside)
        return None

    def _request_stop(self, reason: str) -> None:
        """Begin to end the task; the first reason stands."""
        if self._stopping is None:
            self._stopping = reason
            if self._preparing:
                raise _Stopped
            self._terminate()

    def _cause(self, code: int) -> FailureKind | None:
        """What ended the task, if it was not its own doing."""
        if self._stopping is not None:
            return "preempted" if self._stopping == "preempted" else "hung" if self._failure == "hung" else None
        return "disk_full" if code and records.read_failure(self._place) == "disk_full" else None

    def _tell(self, sentence: str, level: Literal["Info", "Warning"] = "Info") -> None:
        space = "" if sentence.startswith("[") else " "
        with contextlib.suppress(OSError):
            records.add_event(
                self._place, TaskEvent(time.time(), f"[{self._place.task}]{space}{sentence}", level=level)
            )

    def _prepare(self) -> None:
        try:
            self._preparing = True
            if self._place.stop.exists() or records.read_failure(self._place) == "preempted":
                self.handle_sigterm()
            self._make_room()
            self._log.service(f"{self._container.task} is fetching code and inputs")
            staging.fetch(self._container, self._store, self._tell)
            if records.read_failure(self._place) == "disk_full":
                raise staging.StagingError("the task's disk is full: code and inputs have no room on it")
            environments = self._settings["environments"] and Path(self._settings["environments"])
            self._python = interpreter.prepare(
                self._container, self._settings["python"], environments, os.environ, self._log
            )
        finally:
            self._preparing = False

    def _make_room(self) -> None:
        """An attempt gets fresh directories; what an earlier one could not deliver is kept beside them."""
        with contextlib.suppress(FileNotFoundError):
            container = self._place.container
            container.rename(container.with_name(f"{self._place.task}.{self._place.attempt - 1}"))

    def _execute(self) -> tuple[int, str | None]:
        """Run the user's process to its end; returns the exit code, and why if the code does not tell."""
        self._log.service(f"{self._container.task} is starting {self._container.job.boot_file or 'its command'}")
        meter = Meter(self._place.metrics, self._settings["metrics_period"])
        threads = [
            threading.Thread(target=self._measure, args=(meter,), daemon=True),
            threading.Thread(target=self._upload_periodically, daemon=True),
        ]
        output = self._spawn()
        for thread in threads:
            thread.start()
        try:
            self._pump(output)
        finally:
            process_tree.kill_all(process_tree.own_descendants)
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
        container, python = self._container, self._python
        if container.job.command is not None:
            arguments = ["/bin/sh", "-c", container.map_text(container.job.command)]
        else:
            arguments = [python.python, "-u", str(staging.boot_file(container)), *container.arguments()]
        if not container.working_dir.is_dir():
            wanted = container.job.working_dir
            raise staging.StagingError(f"working_dir {wanted} is not in the fetched code, nor a directory of the task")
        receiver, sender = os.pipe()
        try:
            self._leader = subprocess.Popen(  # noqa: S603 - running the user's program is the purpose
                arguments,
                cwd=container.working_dir,
                env=container.environment(python.folders, os.environ),
                stdin=subprocess.DEVNULL,
                stdout=sender,
                stderr=sender,
                start_new_session=True,
                preexec_fn=functools.partial(die_with, os.getpid()),
            )
        except BaseException:
            os.close(receiver)
            raise
        finally:
            os.close(sender)
        self._started_at = time.time()
        process = process_tree.ProcessId.of(self._leader.pid)
        record = {"started_at": self._started_at, "process": asdict(process) if process else None}
        self.persist("start record", lambda: records.write(self._place.process, record))
        self._tell("training started.")
        self.apply_failure()
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
        """With its process, a container ends; when it is asked to end, all its processes get time to handle_sigterm."""
        return self._exit_code is not None if self._stopping is None else self._all_ended

    def _watch(self) -> None:
        """Look around, but not for every piece of output."""
        if time.monotonic() >= self._watch_due:
            self._watch_due = time.monotonic() + (_TICK if self._stopping is None else _TICK / 20)
            self._watch_peers()
            if self._stopping is not None:
                self._all_ended = time.monotonic() > self._deadline or not process_tree.own_descendants()

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
        for place in self._place.tasks(self._container.job.node_count):
            if place != self._place and self._stopping is None:
                peer = records.read_exit(place)
                if peer is not None and (peer.exit_code != 0 or peer.failure is not None):
                    self._request_stop(f"stopped because {place.task} ended with exit code {peer.exit_code}")

    def _terminate(self) -> None:
        if self._leader is not None:
            self._watch_due = 0.0
            self._deadline = time.monotonic() + self._settings["grace"]
            for process in process_tree.own_descendants():
                with contextlib.suppress(psutil.Error):
                    process.terminate()
                    process.resume()

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

    def _upload(self) -> int:
        """Upload the outputs; returns how many files. Raises OSError if the disk is full, else StagingError."""
        try:
            return self._uploader.upload(self._tell)
        except staging.DiskFull as error:
            raise OSError(str(error)) from error

    def _deliver(self, code: int, message: str | None) -> tuple[int, str | None]:
        """Upload the outputs; a task whose outputs are lost has not succeeded."""
        try:
            count = self.persist("outputs", self._upload)
        except (staging.StagingError, OSError) as error:
            self._is_delivered = False
            problem = f"{error}; the files remain in {self._place.container}"
            self._log.service(problem, "ERROR")
            return code or FAILED, message or problem
        if self._container.job.outputs:
            self._log.service(f"{self._container.task} training output uploaded, {count} new or changed file(s)")
        return code, message


def main(arguments: list[str]) -> int:
    """Run the task that is named, unless another controller has claimed it; 0 if all was written down."""
    jobs, job_id, attempt, task = arguments
    place = TaskPlace(Path(jobs), job_id, int(attempt), task)
    pending: list[int] = []
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda number, _: pending.append(number))
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    spec, me = records.read_spec(place), process_tree.ProcessId.of(os.getpid())
    if spec is None or me is None:
        return 0
    try:
        is_first = json_files.retry(
            lambda: records.write_once(place.claim, asdict(me)), spec["settings"]["full_disk_timeout"]
        )
    except FileNotFoundError:
        return 0  # removed before it began
    if (not is_first and records.read_claim(place) != me) or place.exit.exists():
        return 0  # another controller has it, or it ended before it began
    adopt_orphans()
    controller = Controller(place, spec)
    try:
        signal.signal(signal.SIGTERM, lambda *_: controller.handle_sigterm())
        signal.signal(signal.SIGUSR1, lambda *_: controller.apply_failure())
        if pending:
            place.stop.touch()
        end = controller.run()
    except BaseException as error:
        process_tree.kill_all(process_tree.own_descendants)
        message = f"the emulator's controller failed: {type(error).__name__}: {error}"
        start = records.read_start(place)
        controller.record(records.Exit(start.started_at if start else None, time.time(), FAILED, message))
        raise
    # In this order: the next attempt may begin as soon as this one has ended.
    aside = controller.move_aside()
    controller.record(end)
    if aside is not None:
        remove_tree(aside)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

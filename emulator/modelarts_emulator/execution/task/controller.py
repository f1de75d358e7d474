"""The process that owns one task: it fetches, starts, watches, ends and delivers, and writes down how it went.

An executor starts it with the task's place as arguments, on this machine or on a node of a cluster, in a session of its
own, so that it outlives the emulator. It adopts every process that the user's process leaves behind.
It does what its records ask, because signals reach no other machine; SIGTERM asks it at once to end the task.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar, Literal

from modelarts_emulator.execution import staging
from modelarts_emulator.execution.container import Container
from modelarts_emulator.execution.protocol import FAILED, KILLED, STOPPED, FailureKind, TaskEvent
from modelarts_emulator.execution.task import interpreter, process_tree, records
from modelarts_emulator.execution.task.namespaces import REMEDY, PathMode, adopt_orphans
from modelarts_emulator.execution.task.records import AttemptSpec, TaskPlace
from modelarts_emulator.execution.task.task_process import CHANGES, TaskLog, TaskProcess
from modelarts_emulator.execution.task.usage import UsageSampler
from modelarts_emulator.storage.files import UNDELIVERED, remove_tree
from modelarts_emulator.storage.protocol import open_store

LOOK_S = 0.2
"""Between two looks at the records."""
STOPPING_LOOK_S = 0.025
"""Between two looks whether all processes of a task that is to end have ended."""
BEAT_S, MISSED_BEATS = 10.0, 6
"""Between two heartbeats. A peer that misses too many of them is lost."""


class _Stopped(Exception):  # noqa: N818 - not an error
    """The task is to end before its process has started."""


class Waker:
    """Ends a wait for output at once: after signals, and from other threads. `pipe` is readable then."""

    def __init__(self) -> None:
        self.pipe, self._sender = os.pipe()
        os.set_blocking(self.pipe, False)
        os.set_blocking(self._sender, False)
        self.is_terminated = False
        """Whether SIGTERM came."""

    def wake(self, number: int = 0, *_: object) -> None:
        """End the wait, from any thread; `number` is that of the signal that came."""
        self.is_terminated |= number == signal.SIGTERM
        with contextlib.suppress(BlockingIOError):
            os.write(self._sender, b"x")

    def clear(self) -> None:
        """Let the next wait last."""
        with contextlib.suppress(BlockingIOError):
            os.read(self.pipe, 4096)


class Controller:
    """One task from its claim to its exit record; `hosts` are the addresses of all nodes, in the order of the tasks.

    Without hosts, all nodes are this machine.

    It delivers nothing once the task is given up: the job was deleted, or somebody else has recorded the task's end and
    may run it elsewhere. A heartbeat is a touch of its claim. It records the end of a peer without heartbeats, because
    not every engine notices that a node has restarted. It counts its own heartbeats since the last one of a peer: while
    the shared folder does not respond, it has none either, and no peer is taken for lost.
    """

    interruption: ClassVar[str] = "stopped"
    """Why a task is ended by SIGTERM, if no record says why."""

    def __init__(
        self,
        place: TaskPlace,
        spec: AttemptSpec,
        waker: Waker,
        hosts: Sequence[str] = (),
    ) -> None:
        job, self._settings = spec
        self._place = place
        self._peers = [peer for peer in place.tasks(job.node_count) if peer != place]
        self._paths: PathMode = self._settings["paths"]
        self._container = Container(job, place.index, place.container, self._paths != "mapping", tuple(hosts))
        self._store = open_store(self._settings["objects"], job.account_id)
        self._log = TaskLog(place.log, self._settings["log_limit"])
        self._started_at: float | None = None
        self._stopping: str | None = None
        self._failure: FailureKind | None = None
        self._deadline = float("inf")
        self._is_delivered = True
        self._watch_due = 0.0
        self._all_ended = False
        self._python = interpreter.Interpreter(self._settings["python"], ())
        self._process: TaskProcess | None = None
        self._uploader = staging.Uploader(self._container, self._store)
        self._fetched, self._done = threading.Event(), threading.Event()
        self._waker = waker
        self._is_given_up, self._is_recording = threading.Event(), False
        self._silences: dict[TaskPlace, tuple[float, int]] = {}

    def run(self) -> records.Exit:
        """Everything; returns how it went, with outputs and log delivered."""
        container, log = self._container, self._log
        message: str | None
        threading.Thread(target=self._watch_records, daemon=True).start()
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
            self._process = None
        ended_at = time.time()
        if self._started_at is not None and (lost := staging.files_outside_outputs(container, self._started_at)):
            log.service(f"not kept, because written to no output: {lost}", "WARNING")
        log.service(f"{container.task} exit with {code}")
        if self._started_at is not None:
            self._report_event(f"Training finished. Exit code {code}.")
            code, message = self._deliver(code, message)
        try:
            staging.export_log(container, self._store, self._place.log)
        except staging.StagingError as error:
            log.service(str(error), "WARNING")
            self._report_event(str(error), "Warning")
        return records.Exit(self._started_at, ended_at, code, message, self._cause(code))

    def record(self, end: records.Exit) -> None:
        """Write the exit record; raises OSError if the disk is full."""
        self._wait_if_given_up()
        self._is_recording = True
        records.write_reserved_exit(self._place, end)

    def move_aside(self) -> Path | None:
        """Put the container's directories aside, for removal, unless they hold what was not delivered."""
        aside = self._place.container.with_name(f".{self._place.task}.{self._place.attempt}")
        if self._is_delivered:
            with contextlib.suppress(OSError):
                return self._place.container.rename(aside)
        remove_tree(self._place.container / CHANGES)
        return None

    def _request_stop(self, reason: str) -> None:
        """Begin to end the task; the first reason stands."""
        if self._stopping is None:
            self._stopping = reason
            if self._process is not None:
                self._deadline = time.monotonic() + self._settings["grace"]
                self._process.terminate()

    def _cause(self, code: int) -> FailureKind | None:
        """What ended the task, if it was not its own doing."""
        if self._stopping is not None:
            return "preempted" if self._stopping == "preempted" else None
        return "out_of_memory" if code and self._failure == "out_of_memory" else None

    def _report_event(self, sentence: str, level: Literal["Info", "Warning"] = "Info") -> None:
        space = "" if sentence.startswith("[") else " "
        with contextlib.suppress(OSError):
            records.add_event(
                self._place, TaskEvent(time.time(), f"[{self._place.task}]{space}{sentence}", level=level)
            )

    def _watch_records(self) -> None:
        """Send heartbeats, and end this process when the task is given up."""
        beat_due = time.monotonic() + BEAT_S
        while not self._has_been_given_up():
            time.sleep(LOOK_S)
            if self._peers and time.monotonic() >= beat_due:
                with contextlib.suppress(OSError):
                    self._beat()
                beat_due = time.monotonic() + BEAT_S
        self._is_given_up.set()
        process_tree.kill_all(process_tree.own_descendants)
        os._exit(0)

    def _has_been_given_up(self) -> bool:
        try:
            self._place.spec.stat()
        except FileNotFoundError:
            return True
        except OSError:  # the folder does not respond now
            return False
        return self._place.exit.exists() and not self._is_recording

    def _wait_if_given_up(self) -> None:
        while self._is_given_up.is_set():  # until this process ends
            time.sleep(LOOK_S)

    def _beat(self) -> None:
        """Give a sign of life, and look for those of the peers that run."""
        os.utime(self._place.claim)
        for peer in self._peers:
            if peer.claim.exists() and not peer.exit.exists():
                moment = peer.claim.stat().st_mtime
                before, count = self._silences.get(peer, (moment, 0))
                self._silences[peer] = (moment, count + 1 if moment == before else 0)
                if self._silences[peer][1] > MISSED_BEATS:
                    message = f"the node of {peer.task} gives no sign of life; {records.NOT_DELIVERED}"
                    records.write_exit(peer, records.Exit(None, time.time(), KILLED, message, "node_lost"))

    def _obey(self) -> None:
        """Do what the task's records and signals ask for; the first reason to end stands."""
        self._waker.clear()
        kind = records.read_failure(self._place)
        if self._process is not None and self._stopping is None and kind != self._failure:
            if kind == "out_of_memory":
                process_tree.kill_all(process_tree.own_descendants)
            self._failure = kind
        if kind == "preempted":
            self._request_stop(kind)
        elif self._place.stop.exists():
            self._request_stop("stopped")
        elif self._waker.is_terminated:
            self._request_stop(self.interruption)

    def _prepare(self) -> None:
        """Fetch everything; raises _Stopped if the task is to end before that is done, and what goes wrong."""
        self._obey()
        errors: list[BaseException] = []
        # A thread, which may be left behind in the middle of a file: this one reads the requests meanwhile.
        thread = threading.Thread(target=self._fetch, args=(errors,), daemon=True)
        if self._stopping is None:
            thread.start()
        with selectors.DefaultSelector() as selector:
            selector.register(self._waker.pipe, selectors.EVENT_READ)
            while not self._fetched.is_set() and self._stopping is None:
                selector.select(LOOK_S)
                self._obey()
        if self._stopping is not None:
            raise _Stopped
        for error in errors:
            raise error

    def _fetch(self, errors: list[BaseException]) -> None:
        """Make the task's directories and its Python ready; what goes wrong is appended to `errors`."""
        try:
            self._make_room()
            self._log.service(f"{self._container.task} is fetching code and inputs")
            staging.fetch(self._container, self._store, self._report_event)
            self._uploader.restore(self._report_event)
            environments = self._settings["environments"] and Path(self._settings["environments"])
            self._python = interpreter.prepare(
                self._container, self._settings["python"], environments, os.environ, self._log
            )
        except BaseException as error:
            errors.append(error)
        finally:
            self._fetched.set()  # the thread itself ends a moment later
            self._waker.wake()

    def _make_room(self) -> None:
        """An attempt gets fresh directories; what an earlier one could not deliver is kept next to them."""
        with contextlib.suppress(FileNotFoundError):
            container = self._place.container
            container.rename(container.with_name(f"{self._place.task}.{self._place.attempt - 1}"))

    def _execute(self) -> tuple[int, str | None]:
        """Run the user's process to its end; returns the exit code, and why if the code does not say."""
        if devices := self._container.devices:
            self._log.service(f"{self._container.task} has {', '.join(map(str, devices))}")
        boot_file = self._container.job.boot_file
        program = f"{boot_file} with {self._python.python}" if boot_file else "its command"
        self._log.service(f"{self._container.task} is starting {program}")
        environment = self._container.environment(self._python.folders, os.environ)
        sampler = UsageSampler(self._place.metrics, self._settings["metrics_period"], devices, environment)
        threads = [
            threading.Thread(target=sampler.run, args=(self._done,), daemon=True),
            threading.Thread(target=self._upload_periodically, daemon=True),
        ]
        before = self._installed(environment)
        process = self._spawn(environment)
        for thread in threads:
            thread.start()
        try:
            self._pump(process)
        finally:
            process_tree.kill_all(process_tree.own_descendants)
            process.drain()
            self._done.set()
            for thread in threads:
                thread.join()
        process.reap()
        self._process = None
        if changed := sorted(before ^ self._installed(environment)):
            names = ", ".join(changed[: staging.NAMED_FILES]) + (", ..." if changed[staging.NAMED_FILES :] else "")
            self._log.service(f"while the task ran, this machine's own packages changed ({names}): {REMEDY}", "WARNING")
        self._wait_if_given_up()
        code, message = process.result()
        if self._failure == "out_of_memory":
            message = "killed, out of memory"
        for sentence in sampler.full_devices() if code and self._stopping is None else ():
            self._report_event(sentence, "Warning")
        return code, self._stopping or message

    def _installed(self, environment: Mapping[str, str]) -> set[str]:
        """The packages that the task can change for everybody, because it runs in no namespace."""
        return interpreter.installed(self._python.python, environment) if self._paths == "mapping" else set()

    def _spawn(self, environment: Mapping[str, str]) -> TaskProcess:
        """Start the boot file or command, and record that."""
        container, python = self._container, self._python
        arguments = staging.program(container, python.python)
        if not container.working_dir.is_dir():
            wanted = container.job.working_dir
            raise staging.StagingError(f"working_dir {wanted} is not in the fetched code, nor a directory of the task")
        covered = interpreter.changeable(python.python, environment) if self._paths == "namespace" else ()
        process = self._process = TaskProcess(container, arguments, environment, self._paths, self._log, covered)
        self._started_at = time.time()
        process_id = process_tree.ProcessId.of(process.pid)
        started = {"started_at": self._started_at, "process": asdict(process_id) if process_id else None}
        records.write(self._place.process, started)
        self._report_event("training started.")
        return process

    def _pump(self, process: TaskProcess) -> None:
        """Copy output to the log until the process has ended, or has been given long enough to do so."""
        with selectors.DefaultSelector() as selector:
            selector.register(process.output, selectors.EVENT_READ)
            selector.register(self._waker.pipe, selectors.EVENT_READ)
            self._watch()
            # With its process, a container ends; when it is asked to end, all its processes get time to end.
            while not self._all_ended if self._stopping is not None else process.exit_code is None:
                for key, _ in selector.select(max(0.0, self._watch_due - time.monotonic())):
                    if key.fd == self._waker.pipe:
                        self._watch_due = 0.0
                    elif not process.copy_output():
                        selector.unregister(process.output)
                process.reap()
                self._watch()

    def _watch(self) -> None:
        """Read the records and look for processes, but not for every piece of output."""
        if time.monotonic() >= self._watch_due:
            self._obey()
            self._watch_peers()
            self._watch_due = time.monotonic() + (LOOK_S if self._stopping is None else STOPPING_LOOK_S)
            if self._stopping is not None:
                self._all_ended = time.monotonic() > self._deadline or not process_tree.own_descendants()

    def _watch_peers(self) -> None:
        """A job fails as a whole: when another node's task has failed, this one also ends."""
        for peer in self._peers:
            end = records.read_exit(peer) if self._stopping is None else None
            if end is not None and (end.exit_code != 0 or end.failure is not None):
                self._request_stop(f"stopped because {peer.task} ended with exit code {end.exit_code}")

    def _upload_periodically(self) -> None:
        problem = ""
        while not self._done.wait(self._settings["upload_period"]):
            before, problem = problem, ""
            try:
                self._uploader.upload()
            except staging.StagingError as error:
                problem = str(error)
                if problem != before:
                    self._log.service(f"{problem}; the next upload tries again", "WARNING")

    def _deliver(self, code: int, message: str | None) -> tuple[int, str | None]:
        """Upload the outputs; a task whose outputs are lost has not succeeded."""
        try:
            count = self._uploader.upload(self._report_event)
        except staging.StagingError as error:
            self._is_delivered = False
            with contextlib.suppress(OSError):
                (self._place.jobs / UNDELIVERED).touch()
            problem = f"{error}; the files remain in {self._place.container}"
            self._log.service(problem, "ERROR")
            return code or FAILED, message or problem
        if self._container.job.outputs:
            self._log.service(f"{self._container.task} training output uploaded, {count} new or changed file(s)")
        return code, message


def main(arguments: list[str]) -> int:
    """Run the task that is named, unless another controller has claimed it; 0 if all was written down."""
    jobs, job_id, attempt, task = arguments
    return run_task(TaskPlace(Path(jobs), job_id, int(attempt), task), {}, Controller)


def serve() -> int:
    """Fork for each task that the emulator names, until it has ended; in the fork, run the task as `main`.

    To load this module takes 80 ms of processor time, which a fork saves.
    """
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # controllers that have ended are no zombies
    while (line := sys.stdin.buffer.readline()).endswith(b"\n"):  # the emulator may be killed while it writes one
        if child := os.fork():
            with contextlib.suppress(BrokenPipeError):  # and while it waits; the next one finds the task's records
                os.write(1, b"%d\n" % child)
            continue
        os.setsid()
        arguments, log, environment = json.loads(line)
        null = os.open(os.devnull, os.O_RDONLY)
        try:
            output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        except FileNotFoundError:
            return 0  # the job was removed before it began
        for stream, opened in enumerate((null, output, output)):
            os.dup2(opened, stream)
        os.closerange(null, output + 1)
        os.environ.clear()
        os.environ.update(environment)
        return main(arguments)
    return 0


def run_task(
    place: TaskPlace,
    claim: Mapping[str, Any],
    new_controller: Callable[[TaskPlace, AttemptSpec, Waker], Controller],
) -> int:
    """Run the task, as `main`; `claim` is what the record of its controller says besides the process."""
    waker = Waker()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGCHLD):
        signal.signal(number, waker.wake)
    spec, me = records.read_spec(place), process_tree.ProcessId.of(os.getpid())
    if spec is None or me is None:
        return 0
    try:
        is_first = records.write_once(place.claim, {**asdict(me), **claim})
    except FileNotFoundError:
        return 0  # removed before it began
    if (not is_first and records.read_claim(place) != me) or place.exit.exists():
        return 0  # another controller has it, or it ended before it began
    records.reserve_exit(place)
    adopt_orphans()
    controller = new_controller(place, spec, waker)
    try:
        end = controller.run()
    except BaseException as error:
        process_tree.kill_all(process_tree.own_descendants)
        message = f"the emulator's controller failed: {type(error).__name__}: {error}"
        controller.record(records.exit_now(place, FAILED, message))
        raise
    # In this order: the next attempt may begin as soon as this one has ended.
    aside = controller.move_aside()
    controller.record(end)
    if aside is not None:
        remove_tree(aside)
    return 0


if __name__ == "__main__":
    sys.exit(serve())

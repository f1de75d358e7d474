"""The emulator as a whole, in a thread of this process (`Emulator`) or as a process of its own (`serve`)."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import tempfile
import threading
from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from pathlib import Path
from types import TracebackType

from modelarts_emulator.control.client import (
    CallControl,
    ClockControl,
    ControlClient,
    ObjectControl,
    RuleControl,
)
from modelarts_emulator.errors import EmulatorError, right_name
from modelarts_emulator.execution.task.namespaces import describe
from modelarts_emulator.executors import RECORDED
from modelarts_emulator.runtime import Options, Runtime
from modelarts_emulator.settings import accounts
from modelarts_emulator.settings.chosen_python import ChosenPython
from modelarts_emulator.settings.client_env import environment
from modelarts_emulator.settings.data_folder import TEMPORARY, discard_folder

__all__ = ["Emulator", "EmulatorError", "Options", "serve"]


class Emulator:
    """An emulator in a thread of this process, on real ports, for the time of a `with` block.

    Takes the members of `Options`; ports are free ones unless given. Jobs end with the block, unless `keep_jobs`.
    Without a `data_dir` it has a temporary folder, which goes with the block. Scripts run with the Python of this
    process, whatever environment is active, unless `engines` or the job names another one.
    """

    def __init__(self, data_dir: Path | str | None = None, port: int = 0, obs_port: int = 0, **options: object) -> None:
        self._is_temporary = data_dir is None
        _check_names(options)
        self._options = Options(Path(data_dir or "."), port, obs_port, **options)  # type: ignore[arg-type]
        self._outcome: BaseException | None = None

    def __repr__(self) -> str:
        return f"Emulator({'' if self._is_temporary else repr(str(self._options.data_dir))})"

    def __enter__(self) -> Emulator:
        with contextlib.ExitStack() as stack:
            options = self._options
            if self._is_temporary:
                options = replace(options, data_dir=Path(tempfile.mkdtemp(prefix=TEMPORARY)))
                stack.callback(discard_folder, options.data_dir)
            self._runtime = Runtime(options)
            self._temporary = stack.pop_all()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="emulator", daemon=True)
        self._thread.start()
        self._ready.wait()
        if self._outcome is not None:
            self._end()
            raise self._outcome
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(RuntimeError):  # the loop of an emulator that has died is closed
            self._loop.call_soon_threadsafe(self._stop.set)
        self._end()
        if self._outcome is not None:
            raise self._outcome

    @property
    def endpoint(self) -> str:
        """Where IAM and ModelArts are."""
        return self._runtime.endpoint

    @property
    def obs_endpoint(self) -> str:
        """Where the object store is."""
        return self._runtime.obs_endpoint

    @property
    def identity(self) -> accounts.Identity:
        """The first identity."""
        return self._runtime.credentials.identities[0]

    @property
    def identities(self) -> tuple[accounts.Identity, ...]:
        """Every user in every project that it may enter, also those that were added."""
        return tuple(self._runtime.accounts)

    def add_identity(self, user: str, account: str = "emulator", project: str | None = None) -> accounts.Identity:
        """Add a user with random secrets, or another project of a user; without a project, that of the region.

        It lasts until the emulator ends. Returns the identity that there is, if it was added before.
        """
        return self._runtime.accounts.add(user, account, project)

    @property
    def control_token(self) -> str:
        """What requests of the control API send: `Authorization: Bearer <token>`."""
        return self._runtime.credentials.control_token

    @property
    def data_dir(self) -> Path:
        return self._runtime.folder.path

    @property
    def calls(self) -> CallControl:
        """What clients asked of the API, and what they got, if `record_calls` is set."""
        return CallControl(self._control)

    @property
    def clock(self) -> ClockControl:
        """What time it is for the emulator; can be moved if jobs are simulated."""
        return ClockControl(self._control)

    @property
    def faults(self) -> RuleControl:
        """What goes wrong on demand."""
        return RuleControl(self._control, "faults")

    @property
    def objects(self) -> ObjectControl:
        """What is in object storage."""
        return ObjectControl(self._running.store)

    @property
    def plans(self) -> RuleControl:
        """What simulated jobs are going to do; raises EmulatorError if jobs really run."""
        return RuleControl(self._control, "plans")

    def reset(self) -> None:
        """Delete everything but tokens and load the fixtures anew, as `POST /_emulator/reset`; raises EmulatorError."""
        self._control.request("POST", "reset")

    def environment(self, identity: accounts.Identity | None = None) -> dict[str, str]:
        """What `modelarts emulator env` prints, for an identity or the first one."""
        runtime = self._runtime
        region = runtime.options.region
        return environment(self.endpoint, self.obs_endpoint, self.data_dir, runtime.credentials, region, identity)

    @property
    def _control(self) -> ControlClient:
        return ControlClient(self._running.endpoint, self.control_token)

    @property
    def _running(self) -> Runtime:
        """What a running emulator consists of; raises EmulatorError if it has died."""
        if self._outcome is not None:
            raise EmulatorError(f"the emulator has ended: {self._outcome!r}") from self._outcome
        return self._runtime

    def _end(self) -> None:
        self._thread.join()
        self._temporary.close()

    def _run(self) -> None:
        try:
            asyncio.run(self._main())
        except BaseException as error:
            self._outcome = error
        finally:
            self._runtime.close()
            self._ready.set()

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        await self._runtime.run(self._stop, asyncio.Event(), self._ready.set)


def _check_names(options: Iterable[str]) -> None:
    """Raise TypeError for a name that is not an option, with the names that are."""
    known = [option.name for option in fields(Options)]
    for name in options:
        if name not in known:
            raise TypeError(f"Emulator() has no option {name!r}: {right_name(name, known)}")


def serve(
    options: Options,
    announce: Callable[[str], None],
    set_discard: Callable[[Callable[[], object]], None] = lambda _: None,
    python: ChosenPython | None = None,
) -> None:
    """Serve in this process until SIGINT, SIGTERM or SIGHUP; a second signal does not wait for jobs to end.

    `python` runs the scripts of engines for which none is named, by default the one that runs this process.
    `set_discard` gets a function, for any thread, that kills the processes of jobs and ends the emulator.
    `announce` gets one line when both ports respond. Raises EmulatorError if the emulator cannot start.
    """
    runtime = Runtime(options, python)
    try:
        asyncio.run(_serve(runtime, announce, set_discard))
    finally:
        runtime.close()


async def _serve(
    runtime: Runtime, announce: Callable[[str], None], set_discard: Callable[[Callable[[], object]], None]
) -> None:
    stop, abort = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def interrupt() -> None:
        if stop.is_set():
            abort.set()
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, interrupt)

    def discard() -> None:
        runtime.is_discarded = True
        interrupt()

    set_discard(lambda: loop.call_soon_threadsafe(discard))
    user = runtime.credentials.identities[0]
    line = (
        f"ModelArts emulator ready: {runtime.endpoint} (objects {runtime.obs_endpoint}),"
        f" project {user.project} {user.project_id}, data in {runtime.folder.path}"
    )
    if runtime.options.executor in RECORDED:
        line += f"; {describe(runtime.path_mode, runtime.path_reason)}; scripts run with {runtime.python}"
    if devices := runtime.pool.devices:
        line += f"; jobs get {', '.join(map(str, devices))}"
    await runtime.run(stop, abort, lambda: announce(line))

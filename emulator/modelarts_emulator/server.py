"""The emulator as a whole: a folder, two ports, one event loop; in a thread (`Emulator`) or as a process (`serve`)."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from modelarts_emulator import catalogue, identity
from modelarts_emulator.app import create_app
from modelarts_emulator.calls import Services
from modelarts_emulator.environment import HOST, OBS_PORT, PORT, endpoint, environment
from modelarts_emulator.errors import EmulatorError
from modelarts_emulator.executors import Executor
from modelarts_emulator.executors.process import ProcessExecutor
from modelarts_emulator.expectations import Expectations
from modelarts_emulator.folder import DataFolder
from modelarts_emulator.logs import Archive
from modelarts_emulator.objects.s3 import create_app as create_object_store
from modelarts_emulator.objects.store import ObjectStore
from modelarts_emulator.searches import OffsetUnit
from modelarts_emulator.supervisor import Supervisor
from modelarts_emulator.tables import open_database, token_key
from modelarts_emulator.tokens import LIFETIME, Tokens

__all__ = ["Emulator", "Options", "serve"]

GOODBYE = 2  # seconds that answers under way may still take when the emulator stops
PATIENCE = 60  # seconds that jobs may take to end; an executor kills what does not obey long before


@dataclass(frozen=True, slots=True)
class Options:
    """How an emulator is set up; port 0 is any free port, times are in seconds.

    `max_running_jobs` counts jobs that have processes; the others wait in Pending.
    `executor` replaces the one that runs processes, `clock` the one that tells seconds since 1970.
    """

    data_dir: Path
    port: int = PORT
    obs_port: int = OBS_PORT
    credentials: Path | None = None
    catalogue: Path | None = None
    metrics_period: float = 60
    token_lifetime: float = LIFETIME
    check_responses: bool = False
    keep_jobs: bool = False
    max_running_jobs: int | None = None
    offset_unit: OffsetUnit = "page"
    executor: Executor | None = None
    clock: Callable[[], float] = time.time


class Site:
    """Everything that an emulator owns while it serves; raises EmulatorError if it cannot have it."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.identities = identity.load(options.credentials) if options.credentials else (identity.DEFAULT,)
        self._flavors_and_engines = catalogue.load(options.catalogue)
        with contextlib.ExitStack() as stack:
            self.folder = stack.enter_context(DataFolder(options.data_dir))
            self._sockets = [stack.enter_context(_listen(port)) for port in (options.port, options.obs_port)]
            self.port, self.obs_port = (opened.getsockname()[1] for opened in self._sockets)
            self._engine = open_database(self.folder.database_url)
            stack.callback(self._engine.dispose)
            self._key = token_key(self._engine)
            self._resources = stack.pop_all()

    def close(self) -> None:
        self._resources.close()

    async def run(self, stop: asyncio.Event, hurry: asyncio.Event, ready: Callable[[], None]) -> None:
        """Serve until `stop`; then end the jobs unless they are to be kept, but not if `hurry` is set meanwhile."""
        store = ObjectStore(self.folder.objects)
        processes = ProcessExecutor(self.folder.jobs, store, metrics_period=self.options.metrics_period)
        try:
            await self._serve(store, self.options.executor or processes, stop, hurry, ready)
        finally:
            processes.close()

    async def _serve(
        self,
        store: ObjectStore,
        executor: Executor,
        stop: asyncio.Event,
        hurry: asyncio.Event,
        ready: Callable[[], None],
    ) -> None:
        services = self._services(store, executor)
        apps = (create_app(services, self.options.check_responses), create_object_store(store, self.identities))
        servers = [_Server(_config(app)) for app in apps]
        supervision = asyncio.create_task(services.supervisor.run())
        serving = [
            asyncio.create_task(server.serve(sockets=[opened]))
            for server, opened in zip(servers, self._sockets, strict=True)
        ]
        while not (all(server.started for server in servers) or any(task.done() for task in serving)):  # noqa: ASYNC110
            await asyncio.sleep(0.001)
        for task in serving:
            if task.done():
                task.result()
        self._announce()
        ready()
        await stop.wait()
        services.supervisor.finish()
        await supervision
        if not self.options.keep_jobs:
            await _first(services.supervisor.drain(), hurry.wait(), asyncio.sleep(PATIENCE))
        for server in servers:
            server.should_exit = True
        await asyncio.gather(*serving)

    def _services(self, store: ObjectStore, executor: Executor) -> Services:
        api, objects = endpoint(self.port), endpoint(self.obs_port)
        archive = Archive(store)
        environments = {
            "MA_APIGW_ENDPOINT": api,
            "S3_ENDPOINT": objects,
            "S3_USE_HTTPS": "0",
            "S3_VERIFY_SSL": "0",
        }
        capacity = self.options.max_running_jobs or os.cpu_count() or 1
        return Services(
            engine=self._engine,
            catalogue=self._flavors_and_engines,
            identities=self.identities,
            tokens=Tokens(self._key, self.options.clock, self.options.token_lifetime),
            store=store,
            executor=executor,
            supervisor=Supervisor(self._engine, executor, archive, self.options.clock, capacity, environments),
            archive=archive,
            clock=self.options.clock,
            endpoint=api,
            obs_endpoint=objects,
            offset_unit=self.options.offset_unit,
        )

    def _announce(self) -> None:
        self.folder.announce(
            {
                "pid": os.getpid(),
                "port": self.port,
                "obs_port": self.obs_port,
                "endpoint": endpoint(self.port),
                "obs_endpoint": endpoint(self.obs_port),
            }
        )


class Emulator:
    """An emulator in a thread of this process, on real ports, for the time of a `with` block.

    Takes the members of `Options`; ports are free ones unless given. Jobs end with the block, unless `keep_jobs`.
    """

    def __init__(self, data_dir: Path | str, port: int = 0, obs_port: int = 0, **options: object) -> None:
        self._options = Options(Path(data_dir), port, obs_port, **options)  # type: ignore[arg-type]
        self._outcome: BaseException | None = None

    def __enter__(self) -> Emulator:
        self._site = Site(self._options)
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="emulator", daemon=True)
        self._thread.start()
        self._ready.wait()
        if self._outcome is not None:
            self._thread.join()
            raise self._outcome
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()
        if self._outcome is not None:
            raise self._outcome

    @property
    def endpoint(self) -> str:
        """Where IAM and ModelArts are."""
        return endpoint(self._site.port)

    @property
    def obs_endpoint(self) -> str:
        """Where the object store is."""
        return endpoint(self._site.obs_port)

    @property
    def identity(self) -> identity.Identity:
        """The first identity."""
        return self._site.identities[0]

    @property
    def data_dir(self) -> Path:
        return self._site.folder.path

    def environment(self) -> dict[str, str]:
        """What `modelarts emulator env` prints."""
        return environment(self.endpoint, self.obs_endpoint, self.identity)

    def _run(self) -> None:
        try:
            asyncio.run(self._main())
        except BaseException as error:
            self._outcome = error
        finally:
            self._site.close()
            self._ready.set()

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        await self._site.run(self._stop, asyncio.Event(), self._ready.set)


def serve(options: Options, announce: Callable[[str], None]) -> None:
    """Serve in this process until SIGINT, SIGTERM or SIGHUP; a second signal does not wait for jobs to end.

    `announce` gets one line when both ports answer. Raises EmulatorError if the emulator cannot start.
    """
    site = Site(options)
    try:
        asyncio.run(_serve(site, announce))
    finally:
        site.close()


async def _serve(site: Site, announce: Callable[[str], None]) -> None:
    stop, hurry = asyncio.Event(), asyncio.Event()

    def interrupt() -> None:
        if stop.is_set():
            hurry.set()
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, interrupt)
    user = site.identities[0]
    line = (
        f"ModelArts emulator ready: {endpoint(site.port)} (objects {endpoint(site.obs_port)}),"
        f" project {user.project} {user.project_id}, data in {site.folder.path}"
    )
    await site.run(stop, hurry, lambda: announce(line))


class _Server(uvicorn.Server):
    """uvicorn without its signal handlers: the emulator has its own, and two servers."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _config(app: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        Expectations(app),
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        # Longer than clients keep idle connections, so that they, not the emulator, close them.
        timeout_keep_alive=75,
        timeout_graceful_shutdown=GOODBYE,
    )


def _listen(port: int) -> socket.socket:
    # Without the protocol's number asyncio does not switch off Nagle's algorithm, which costs 40 ms per answer.
    opened = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((HOST, port))
        opened.listen(1024)
    except OSError as error:
        opened.close()
        raise EmulatorError(
            f"port {port} cannot be used ({error.strerror}): choose other ports with --port and --obs-port,"
            " or end the program that listens there"
        ) from error
    return opened


async def _first(*coroutines: Coroutine[Any, Any, Any]) -> None:
    """Wait for the one that ends first and cancel the others."""
    tasks = [asyncio.create_task(coroutine) for coroutine in coroutines]
    ended, others = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in others:
        task.cancel()
    for task in ended:
        task.result()

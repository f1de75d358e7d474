"""Everything that a serving emulator owns: its folder, its two ports, its state, and the tasks of its event loop."""

from __future__ import annotations

import asyncio
import contextlib
import os
import platform
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, cast

from sqlalchemy.exc import OperationalError

from modelarts_emulator import executors
from modelarts_emulator.control.calls import Calls
from modelarts_emulator.control.fault_responses import family_target, store_target
from modelarts_emulator.control.faults import Faults, FaultyStore, TaskFaults
from modelarts_emulator.control.reset import Reset
from modelarts_emulator.control.routes import Control, control_app
from modelarts_emulator.engine import runs
from modelarts_emulator.engine.database import Database, open_database, token_key
from modelarts_emulator.engine.leadership import LeaderElection, SingleProcess
from modelarts_emulator.engine.logs import with_logs
from modelarts_emulator.engine.supervisor import Supervisor, Worker
from modelarts_emulator.execution.local.path_choice import choose_path_mode
from modelarts_emulator.execution.local.process_control import adopt_orphans
from modelarts_emulator.execution.local.process_tree import kill_all, own_descendants
from modelarts_emulator.execution.protocol import Executor
from modelarts_emulator.execution.simulated.time_travel import TimeTravel
from modelarts_emulator.families import FAMILIES
from modelarts_emulator.http.access import Access, AccessKeys
from modelarts_emulator.http.app import BoundFamily, HandlerThreads, bind_families, create_app
from modelarts_emulator.http.errors import EmulatorError
from modelarts_emulator.http.host_check import HostCheck, bucket_domains, json_rejection, xml_rejection
from modelarts_emulator.http.server import (
    AccessLog,
    LogFile,
    Server,
    limit_accept_errors,
    listen,
    server_config,
    wait_for_first,
    wait_until_stopped,
)
from modelarts_emulator.http.tokens import Tokens
from modelarts_emulator.iam.tokens import Iam, Revocations
from modelarts_emulator.s3.app import create_app as create_object_store
from modelarts_emulator.service import ModelArts
from modelarts_emulator.settings import accounts, catalogue
from modelarts_emulator.settings import engines as interpreters
from modelarts_emulator.settings.client_env import endpoint, same_host
from modelarts_emulator.settings.credentials import load_credentials
from modelarts_emulator.settings.data_folder import DataFolder, check_own
from modelarts_emulator.settings.job_env import job_environment
from modelarts_emulator.settings.object_storage import open_object_storage
from modelarts_emulator.settings.options import Options
from modelarts_emulator.storage.protocol import Store
from modelarts_emulator.testing.fixtures import Fixtures
from modelarts_emulator.tuning.executor import SearchExecutor
from modelarts_emulator.tuning.plots import Plots
from modelarts_emulator.tuning.state import State
from modelarts_emulator.visualization.simulated import SimulatedTool
from modelarts_emulator.visualization.supervisor import VisualizationSupervisor
from modelarts_emulator.visualization.tensorboard import TensorBoard

if TYPE_CHECKING:
    from modelarts_emulator.execution.simulated.executor import SimulatedExecutor

__all__ = ["Options", "Site"]

UNLIMITED = 10_000  # jobs
MAX_TOOLS = 8  # processes of visualization tools; each takes about 100 MB
# What jobs become, and how many there may be, must not depend on the front end that takes them or supervises.
SHARED_OPTIONS = (
    "executor", "region", "objects", "objects_endpoint", "engines", "install_requirements", "max_running_jobs",
    "max_jobs", "max_visualization_jobs", "offset_unit",
)  # fmt: skip
HANDLER_THREADS = 8  # requests that may wait for the database or the object store at a time
WRITING_THREADS = 4  # of which may wait to write
JOBS_END_TIMEOUT_S = 60  # an executor kills what does not end long before


class Site:
    """Everything that an emulator owns while it serves; raises EmulatorError if it cannot have it."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.is_discarded = False
        """Whether all of it is deleted when it stops: jobs are killed, and responses are not waited for."""
        if options.credentials is not None:
            accounts.load(options.credentials, options.region)  # its mistakes are reported before anything is made
        self._flavors_and_engines = catalogue.with_capacities(catalogue.load(options.catalogue), options.capacity)
        self._interpreters = interpreters.load(options.engines, self._flavors_and_engines)
        self._fixtures = Fixtures(options.seeds, FAMILIES) if options.seeds is not None else None
        self._simulated: SimulatedExecutor | None = None
        if options.forget:
            check_own(options.data_dir, "--forget")
        self.path_mode, self.path_reason = choose_path_mode(
            executors.path_choice(options), [options.data_dir, *options.engines.values()]
        )
        with contextlib.ExitStack() as stack:
            self.folder = stack.enter_context(DataFolder(options.data_dir, options.is_shared))
            self.credentials = load_credentials(self.folder.path, options.credentials, options.region)
            self.accounts = accounts.Accounts(self.credentials.identities, options.region)
            self._sockets = [
                stack.enter_context(listen(options.host, port)) for port in (options.port, options.obs_port)
            ]
            self.port, self.obs_port = (opened.getsockname()[1] for opened in self._sockets)
            engine = open_database(options.database_url or self.folder.database, self._group())
            stack.callback(engine.dispose)
            self._key = token_key(engine)
            self._leadership = LeaderElection(engine) if options.is_shared else SingleProcess()
            self._database = Database(engine, self._leadership)
            self._threads = stack.enter_context(ThreadPoolExecutor(HANDLER_THREADS, "handler"))
            self._access_log: LogFile | None = None
            if options.access_log is not None:
                self._access_log = stack.enter_context(contextlib.closing(LogFile(options.access_log)))
            self._resources = stack.pop_all()

    @property
    def endpoint(self) -> str:
        """Where IAM and ModelArts are, for programs on this machine."""
        return endpoint(self.port, self.options.host)

    @property
    def obs_endpoint(self) -> str:
        """Where the object store is, for programs on this machine."""
        return endpoint(self.obs_port, self.options.host)

    @property
    def _executor_name(self) -> str:
        return self.options.executor if isinstance(self.options.executor, str) else "process"

    def close(self) -> None:
        self._resources.close()

    def _group(self) -> dict[str, object] | None:
        """What front ends must have in common to share a database, by what is named if it differs; None if alone."""
        options = self.options
        if not options.is_shared:
            return None
        found: dict[str, object] = {
            "--data-dir": self.folder.id,
            "--catalogue or --capacity": self._flavors_and_engines,
            # Without their passwords and keys, which are not in the database, also not as hashes.
            "--credentials": options.credentials and [repr(identity) for identity in self.credentials.identities],
        }
        for name in SHARED_OPTIONS:
            found[f"--{name.replace('_', '-')}"] = getattr(options, name)
        if options.executor == "process":  # what is known of processes is read from the process table of their machine
            found["machine"] = platform.node()
        return found

    async def run(self, stop: asyncio.Event, abort: asyncio.Event, ready: Callable[[], None]) -> None:
        """Serve until `stop`; then end the jobs unless they are to be kept, but not if `abort` is set meanwhile."""
        limit_accept_errors(asyncio.get_running_loop())
        options = self.options
        store = open_object_storage(options.objects, options.objects_endpoint, self.folder, options.fsync)
        with contextlib.ExitStack() as stack:
            stack.callback(store.close)
            stack.callback(self._leadership.close)
            searching = self._searching(self._executor(store, stack), store)
            stack.callback(searching.close)
            await self._serve(store, searching, stop, abort, ready)

    def _searching(self, executor: Executor, store: Store) -> SearchExecutor:
        """The executor, and around it what makes searches of several of its jobs."""
        plots = Plots(self._database, store, self.accounts.account_of)
        algorithms = self._flavors_and_engines.search_algorithms
        return executors.with_searches(executor, self.options, self.folder, algorithms, State(self._database), plots)

    def _executor(self, store: Store, stack: contextlib.ExitStack) -> Executor:
        """The executor that the options name, closed with the stack, or the one that they bring."""
        if not isinstance(self.options.executor, str):
            return self.options.executor
        catalogue, find_python = self._flavors_and_engines, self._interpreters.find
        executor = executors.open_executor(self.options, self.folder, store, catalogue, find_python, self.path_mode)
        if self.options.executor == "simulated":
            self._simulated = cast("SimulatedExecutor", executor)
        stack.callback(executor.close)
        return executor

    async def _serve(
        self,
        store: Store,
        executor: Executor,
        stop: asyncio.Event,
        abort: asyncio.Event,
        ready: Callable[[], None],
    ) -> None:
        self.store = store
        supervisor = self._supervisor(executor)
        visualizations = self._visualizations(store)
        families = self._families(store, executor, supervisor, visualizations)
        self.control = control = self._control(store, executor, supervisor, visualizations, families)
        api = create_app(
            families,
            Access(self.accounts, self._tokens, self._keys, self.options.clock),
            control_app(control),
            control.calls or control.faults,
            HandlerThreads(self._threads, self._database.is_embedded, asyncio.Semaphore(WRITING_THREADS)),
            self.options.check_responses,
        )
        if self._access_log is not None:
            api = AccessLog(api, self._access_log, self._executor_name)
        hosts = (self.options.host, self.options.allowed_hosts)
        object_store = create_object_store(
            with_logs(store, executor, self._accounts_by_project, self._project_of),
            self.accounts,
            domains=bucket_domains(*hosts),
            temporary_identity=self._keys.temporary_identity,
        )
        objects = FaultyStore(object_store, control.faults)
        apps = (
            HostCheck(api, self.port, json_rejection, *hosts),
            HostCheck(objects, self.obs_port, xml_rejection, *hosts, has_buckets=True),
        )
        # Signatures of the object store are checked against real time, whatever the emulator's clock says.
        clocks = (self.options.clock, time.time)
        servers = [Server(server_config(app, clock)) for app, clock in zip(apps, clocks, strict=True)]
        control.faults.connections += [server.server_state.connections for server in servers]

        def leader_changed() -> None:
            supervisor.wake()
            visualizations.wake()
            if self._leadership.is_leader and is_ready.is_set():
                self._announce_again()

        is_ready = threading.Event()
        await asyncio.to_thread(self._leadership.start, leader_changed, self._revocations.reload)
        if self.options.forget:
            self._check_alone("--forget deletes what all of them serve")
        is_leader = self._leadership.is_leader
        if self.options.forget or (self._fixtures is not None and is_leader and not control.reset.has_state()):
            await control.reset.start_over()
        supervision = asyncio.create_task(supervisor.run())
        visualization = asyncio.create_task(visualizations.run())
        serving = [
            asyncio.create_task(server.serve(sockets=[opened]))
            for server, opened in zip(servers, self._sockets, strict=True)
        ]
        while not (all(server.started for server in servers) or any(task.done() for task in serving)):  # noqa: ASYNC110
            await asyncio.sleep(0.001)
        for task in serving:
            if task.done():
                task.result()
        is_ready.set()
        if self._leadership.is_leader:
            self._announce()
        ready()
        await wait_until_stopped(stop, supervision, visualization, *serving)
        supervisor.finish()
        visualizations.finish()
        await asyncio.gather(supervision, visualization)
        if not self.is_discarded and self._ends_jobs():
            await wait_for_first(supervisor.drain(), abort.wait(), asyncio.sleep(JOBS_END_TIMEOUT_S))
        if self.is_discarded:
            adopt_orphans()
            await asyncio.to_thread(kill_all, own_descendants)
            return
        for server in servers:
            server.should_exit = True
        await asyncio.gather(*serving)

    def _supervisor(self, executor: Executor) -> Supervisor:
        # Simulated jobs need no machine: how many run must not depend on it.
        is_unlimited = executor.owns_queue or self.options.executor == "simulated"
        most = UNLIMITED if is_unlimited else os.cpu_count() or 1
        capacity = most if executor.owns_queue else self.options.max_running_jobs or most
        nodes = {} if executor.owns_queue else catalogue.capacities(self._flavors_and_engines)
        clock, environment = self.options.clock, self._job_environment
        return Supervisor(Worker(self._database, executor, clock, capacity, environment, nodes))

    def _ends_jobs(self) -> bool:
        """Whether the jobs end with this front end: not if another one, or a cluster, can go on with them."""
        if executors.keeps_jobs(self.options) or not self._leadership.is_leader:
            return False
        try:
            return not self._leadership.count_others()
        except OperationalError:
            return True

    def _announce_again(self) -> None:
        """Let other front ends find this one in the data folder."""
        with contextlib.suppress(EmulatorError):  # the disk is full, as others say, too
            self._announce()

    def _accounts_by_project(self) -> dict[str, str]:
        return {identity.project_id: identity.domain_id for identity in self.accounts}

    def _project_of(self, run_id: str) -> str | None:
        with self._database.reading() as connection:
            found = runs.get(connection, run_id)
        return None if found is None else found.project_id

    def _job_environment(self, project_id: str) -> dict[str, str]:
        """The variables that the platform sets for the jobs of a project."""
        owners = (identity for identity in self.credentials.identities if identity.project_id == project_id)
        return job_environment(self.endpoint, self.obs_endpoint, next(owners, None))

    def _visualizations(self, store: Store) -> VisualizationSupervisor:
        clock, is_simulated = self.options.clock, self._simulated is not None
        start = partial(SimulatedTool, clock) if is_simulated else TensorBoard
        capacity = UNLIMITED if is_simulated else MAX_TOOLS
        return VisualizationSupervisor(
            self._database,
            store,
            start,
            self.folder.path / "visualizations",
            clock,
            capacity,
            self.accounts.account_of,
        )

    def _families(
        self,
        store: Store,
        executor: Executor,
        supervisor: Supervisor,
        visualizations: VisualizationSupervisor,
    ) -> list[BoundFamily]:
        """The API families, each with what its handlers work with."""
        clock = self.options.clock

        def now() -> int:
            return round(clock() * 1000)  # as the supervisor rounds

        self._revocations = revocations = Revocations(self._database, clock)
        self._tokens = Tokens(self._key, clock, self.options.token_lifetime, revocations)
        self._keys = AccessKeys(self.accounts, self._key, clock)
        obs_endpoint = partial(same_host, port=self.obs_port)
        iam = Iam(self.accounts, self._tokens, revocations, self._keys, clock, obs_endpoint)
        service = ModelArts(
            database=self._database,
            catalogue=self._flavors_and_engines,
            store=store,
            executor=executor,
            supervisor=supervisor,
            visualizations=visualizations,
            max_jobs=self.options.max_jobs,
            max_visualization_jobs=self.options.max_visualization_jobs,
            offset_unit=self.options.offset_unit,
            is_simulated=self._simulated is not None,
            now=now,
            obs_endpoint=obs_endpoint,
        )
        return bind_families(FAMILIES, {"iam": iam, "v1": service, "v2": service})

    def _control(
        self,
        store: Store,
        executor: Executor,
        supervisor: Supervisor,
        visualizations: VisualizationSupervisor,
        families: Sequence[BoundFamily],
    ) -> Control:
        """What the control API and the in-process handle control."""
        plans = self._simulated.plans if self._simulated is not None else None
        targets = [*(family_target(bound) for bound in families), store_target()]
        faults = Faults(targets, partial(self._check_alone, "a fault of calls is known to one front end only"))
        time_travel = TimeTravel(self.options.clock, self._simulated, [supervisor, visualizations], self.folder.path)
        load = None
        if self._fixtures is not None:
            load = partial(self._fixtures.load, families, store, self.credentials.identities[0])
        calls = None
        if self.options.record_calls:
            calls = Calls(faults, (operation for bound in families for operation in bound.contract.operations))
        capabilities = {
            "documents": [bound.family.name for bound in families],
            "authentication": ["token", "signature"],
            "executor": self._executor_name,
            "offset_unit": self.options.offset_unit,
        }
        parts = (self._database, store, supervisor, visualizations, time_travel, faults, plans)
        reset = Reset(*parts, load, self.folder, calls)
        return Control(
            self.credentials.control_token,
            lambda host: {
                "obs_endpoint": same_host(host, self.obs_port),
                "capabilities": capabilities,
                "supervises": self._leadership.is_leader,
            },
            reset,
            time_travel,
            faults,
            TaskFaults(self._database, executor, supervisor),
            plans,
            calls,
        )

    def _check_alone(self, reason: str) -> None:
        """Raise EmulatorError, which gives the reason, if other front ends serve the database."""
        if count := self._leadership.count_others():
            raise EmulatorError(f"{reason}, and {count + 1} front ends serve this database: stop the others first")

    def _announce(self) -> None:
        self.folder.announce(
            {
                "pid": os.getpid(),
                "port": self.port,
                "obs_port": self.obs_port,
                "host": self.options.host,
                "endpoint": self.endpoint,
                "obs_endpoint": self.obs_endpoint,
                "region": self.options.region,
                "credentials": str(self.options.credentials.absolute()) if self.options.credentials else None,
                "paths": self.path_mode,
                "paths_reason": self.path_reason or None,
            }
        )

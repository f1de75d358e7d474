"""The resources of a running emulator, the application made from them, and how both serve until they are stopped."""

from __future__ import annotations

import asyncio
import contextlib
import os
import platform
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from sqlalchemy.exc import OperationalError
from starlette.types import ASGIApp

from modelarts_emulator import accelerators, executors
from modelarts_emulator.control.calls import Calls
from modelarts_emulator.control.faults import Faults, FaultyStore, TaskFaults
from modelarts_emulator.control.reset import Reset
from modelarts_emulator.control.routes import Control, control_app
from modelarts_emulator.control.time_travel import TimeTravel
from modelarts_emulator.engine import queue, runs
from modelarts_emulator.engine.database import Database, open_database, token_key
from modelarts_emulator.engine.leadership import LeaderElection, SingleProcess
from modelarts_emulator.engine.logs import Logs, StoreWithLogs
from modelarts_emulator.engine.runs import Run
from modelarts_emulator.engine.scheduler import Capacity
from modelarts_emulator.engine.supervisor import Supervisor
from modelarts_emulator.engine.worker import Worker
from modelarts_emulator.errors import EmulatorError
from modelarts_emulator.execution.protocol import Executor, task_names
from modelarts_emulator.execution.task.namespaces import adopt_orphans, choose_path_mode
from modelarts_emulator.execution.task.process_tree import kill_all, own_descendants
from modelarts_emulator.fixtures import Fixtures
from modelarts_emulator.http.access import Access, AccessKeys, Tokens
from modelarts_emulator.http.app import Api, BoundFamily, bind_families
from modelarts_emulator.http.family import ApiFamily
from modelarts_emulator.http.host_check import HostCheck, bucket_domains, json_rejection
from modelarts_emulator.http.server import (
    AccessLog,
    Server,
    accept_connections,
    bind,
    server_config,
    wait_until_stopped,
)
from modelarts_emulator.iam import family as iam_family
from modelarts_emulator.iam.tokens import Iam, Revocations
from modelarts_emulator.options import Options
from modelarts_emulator.s3.app import create_app as create_object_store
from modelarts_emulator.s3.app import xml_rejection
from modelarts_emulator.service import ModelArts
from modelarts_emulator.settings import accounts, catalogue
from modelarts_emulator.settings.accounts import load_credentials
from modelarts_emulator.settings.catalogue import FindPython
from modelarts_emulator.settings.chosen_python import OWN, ChosenPython, named_python
from modelarts_emulator.settings.client_env import endpoint, job_environment, same_host
from modelarts_emulator.settings.data_folder import DataFolder, check_own
from modelarts_emulator.storage.folder import FolderStore
from modelarts_emulator.storage.protocol import AccountStore, Store
from modelarts_emulator.tuning.runner import SearchRunner
from modelarts_emulator.v1 import family as v1
from modelarts_emulator.v2 import family as v2
from modelarts_emulator.visualization.runner import VisualizationRunner

if TYPE_CHECKING:
    from modelarts_emulator.execution.simulated.executor import SimulatedExecutor

__all__ = ["FAMILIES", "Options", "Runtime"]

FAMILIES: tuple[ApiFamily, ...] = (iam_family.FAMILY, v1.FAMILY, v2.FAMILY)
"""The API families, one for each document."""
UNLIMITED = 10_000  # jobs
HANDLER_THREADS = 8  # requests that may wait for the database or the object store at a time
WORKER_THREADS = 40  # calls of the object store, and steps of the supervisor
# All front ends need the same values of these options, because any of them may take a job, and any may run it.
SHARED_OPTIONS = (
    "executor", "region", "engines", "install_requirements", "max_running_jobs", "devices", "share_devices", "max_jobs",
    "offset_unit",
)  # fmt: skip
JOBS_END_TIMEOUT_S = 60  # an executor kills what does not end long before


class Runtime:
    """Everything that an emulator owns while it serves; raises EmulatorError if it cannot have it."""

    def __init__(self, options: Options, python: ChosenPython | None = None) -> None:
        self.options = options
        self.is_discarded = False
        """Whether all of it is deleted when it stops: jobs are killed, and responses are not waited for."""
        if options.credentials is not None:
            accounts.load(options.credentials, options.region)  # its mistakes are reported before anything is made
        self.catalogue = catalogue.with_capacities(catalogue.load(options.catalogue), options.capacity)
        engines = {each: named_python(path, f"--engine {each}") for each, path in options.engines.items()}
        default = ChosenPython(engines["*"], "--engine") if "*" in engines else python
        self.python = default or ChosenPython(Path(sys.executable), OWN)
        """Runs scripts for which no Python is named."""
        self.explicit_python = catalogue.find_python(engines, self.catalogue, default="")
        """Names the Python of an engine for which `--engine` or the catalogue does; else nothing."""
        self.find_python: FindPython = lambda engine: self.explicit_python(engine) or str(self.python.path)
        self.fixtures = Fixtures(options.seeds, FAMILIES) if options.seeds is not None else None
        if options.forget:
            check_own(options.data_dir, "--forget")
        with contextlib.ExitStack() as stack:
            self.threads = stack.enter_context(ThreadPoolExecutor(HANDLER_THREADS, "handler"))
            # It is found by trying, in a process of its own: meanwhile the rest is made.
            choice = executors.path_choice(options)
            pool = self.threads.submit(accelerators.open_pool, options)
            pythons = [*engines.values(), *self.catalogue.pythons.values(), self.python.path]
            # An environment is where its Python stands and where the link leads.
            needed = [options.data_dir, *pythons, *(python.parent for python in pythons)]
            paths = self.threads.submit(choose_path_mode, choice, needed)
            if choice != "auto":
                paths.result()  # its mistake, too, is reported before anything is made
            if options.devices is not None:
                pool.result()  # and that of these
            self.folder = stack.enter_context(DataFolder(options.data_dir, options.is_shared))
            self.credentials = load_credentials(self.folder.path, options.credentials, options.region)
            self.accounts = accounts.Accounts(self.credentials.identities, options.region)
            self._sockets = [stack.enter_context(bind(options.host, port)) for port in (options.port, options.obs_port)]
            self.port, self.obs_port = (opened.getsockname()[1] for opened in self._sockets)
            engine = open_database(options.database_url or self.folder.database)
            stack.callback(engine.dispose)
            self.key = token_key(engine)
            self.leadership = SingleProcess()
            if options.database_url is not None:
                self.leadership = LeaderElection(engine, self._group())
            self.database = Database(engine, self.leadership)
            self.path_mode, self.path_reason = paths.result()
            self.pool = pool.result()
            self.catalogue = accelerators.with_accelerators(self.catalogue, self.pool)
            self._resources = stack.pop_all()

    def _group(self) -> dict[str, object] | None:
        """What front ends must have in common to share a database, by what is named if it differs; None if alone."""
        options = self.options
        if not options.is_shared:
            return None
        found: dict[str, object] = {
            "--data-dir": self.folder.path.resolve(),
            "--catalogue or --capacity": self.catalogue,
            "--credentials": options.credentials and self.credentials.identities,  # their texts have no secrets
        }
        for name in SHARED_OPTIONS:
            found[f"--{name.replace('_', '-')}"] = getattr(options, name)
        if options.executor == "process":  # what is known of processes is read from the process table of their machine
            found["machine"] = platform.node()
        return found

    @property
    def endpoint(self) -> str:
        """Where IAM and ModelArts are, for programs on this machine."""
        return endpoint(self.port, self.options.host)

    @property
    def obs_endpoint(self) -> str:
        """Where the object store is, for programs on this machine."""
        return endpoint(self.obs_port, self.options.host)

    def close(self) -> None:
        self._resources.close()

    def announce(self) -> None:
        """Write into the data folder where this emulator listens."""
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
                "python": str(self.python) if self.options.executor != "simulated" else None,
            }
        )

    async def run(self, stop: asyncio.Event, abort: asyncio.Event, ready: Callable[[], None]) -> None:
        """Serve until `stop`; then end the jobs unless they are to be kept, but not if `abort` is set meanwhile."""
        options = self.options
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(WORKER_THREADS, "worker"))
        with contextlib.ExitStack() as stack:
            self.store = FolderStore(self.folder.objects, is_durable=options.fsync)
            stack.callback(self.store.close)
            stack.callback(self.leadership.close)
            executor = options.executor
            if isinstance(executor, str):
                executor = executors.open_executor(
                    options, self.folder, self.store, self.catalogue, self.find_python, self.path_mode
                )
                stack.callback(executor.close)
            application = Application(self, self.store, executor)
            stack.callback(application.close)
            await self._serve(application, stop, abort, ready)

    async def _serve(
        self, application: Application, stop: asyncio.Event, abort: asyncio.Event, ready: Callable[[], None]
    ) -> None:
        await self._prepare(application)
        supervision = asyncio.create_task(application.supervisor.run())
        servers = application.servers()
        if self.leadership.is_leader:
            self.announce()
        for bound in reversed(self._sockets):  # whoever reaches the API finds the announcement and the object store
            accept_connections(bound)
        serving = [
            asyncio.create_task(server.serve(sockets=[opened]))
            for server, opened in zip(servers, self._sockets, strict=True)
        ]
        ready()
        await wait_until_stopped(stop, supervision, *serving)
        application.supervisor.finish()
        await supervision
        if not self.is_discarded and self._ends_jobs():
            ends = [asyncio.create_task(end) for end in (application.supervisor.drain(), abort.wait())]
            ended, others = await asyncio.wait(ends, timeout=JOBS_END_TIMEOUT_S, return_when=asyncio.FIRST_COMPLETED)
            for task in others:
                task.cancel()
            for task in ended:
                task.result()
        if self.is_discarded:
            adopt_orphans()
            await asyncio.to_thread(kill_all, own_descendants)
            return
        for server in servers:
            server.should_exit = True
        await asyncio.gather(*serving)

    async def _prepare(self, application: Application) -> None:
        """Take part in the leader election, and load the fixtures into an emulator without state."""

        def lead() -> None:
            """Begin or stop to run jobs; other front ends find the leader in the data folder."""
            application.supervisor.wake()
            if self.leadership.is_leader:
                with contextlib.suppress(EmulatorError):  # the disk is full, which others also report
                    self.announce()

        await asyncio.to_thread(self.leadership.start, lead, application.revocations.reload)
        if self.options.forget and (count := self.leadership.count_others()):
            served = f"{count + 1} front ends serve this database"
            raise EmulatorError(f"--forget deletes what all of them serve, and {served}: stop the others first")
        reset, is_leader = application.control.reset, self.leadership.is_leader
        if self.options.forget or (self.fixtures is not None and is_leader and not reset.has_state()):
            await reset.start_over()

    def _ends_jobs(self) -> bool:
        """Whether the jobs end with this front end: not if another one, or a cluster, can go on with them."""
        is_kept = self.options.keep_jobs or self.options.executor in ("simulated", "slurm")
        if is_kept or not self.leadership.is_leader:
            return False
        try:
            return not self.leadership.count_others()
        except OperationalError:
            return True


class Application:
    """The parts that serve requests and run jobs, made from a runtime's; closing it does not close `executor`."""

    def __init__(self, runtime: Runtime, store: Store, executor: Executor) -> None:
        self._runtime = runtime
        self._store = store
        self._options = options = runtime.options
        self._simulated = cast("SimulatedExecutor", executor) if options.executor == "simulated" else None
        self._executor = executor
        self._logs = Logs(executor, runtime.folder.path / "searches")
        self._visualizations = VisualizationRunner(
            runtime.database, self._store_of, runtime.folder.path / "visualizations", options.clock,
            self._simulated is not None,
        )  # fmt: skip
        limit = runtime.catalogue.limits.log_bytes
        searches = SearchRunner(runtime.database, self._logs, self._store_of, options.clock, limit)
        most = None if self._most_running == UNLIMITED else self._most_running
        self._limits = {"running_jobs": most, "nodes": self._nodes}
        self._capacity = Capacity(self._most_running, self._nodes, runtime.pool, runtime.catalogue.flavors)
        worker = Worker(runtime.database, executor, options.clock, self._capacity, self._job_environment)
        self.supervisor = Supervisor(worker, [self._visualizations, searches])
        self.revocations = Revocations(runtime.database, options.clock)
        self._tokens = Tokens(runtime.key, options.clock, options.token_lifetime, self.revocations)
        self._keys = AccessKeys(runtime.accounts, runtime.key, options.clock)
        self._families = self._bound_families()
        self.control = self._control()

    def close(self) -> None:
        """End what runs in processes of its own; jobs go on."""
        self._visualizations.close()

    def servers(self) -> list[Server]:
        """The servers of both ports."""
        runtime, options, control = self._runtime, self._options, self.control
        api: ASGIApp = Api(
            self._families,
            Access(runtime.accounts, self._tokens, self._keys, options.clock),
            control_app(control),
            control.calls or control.faults,
            runtime.threads,
            options.database_url is None,
            options.check_responses,
        )
        if options.access_log is not None:
            api = AccessLog(api, options.access_log, self._executor_name)
        hosts = (options.host, options.allowed_hosts)
        objects = create_object_store(
            self._store,
            runtime.accounts,
            domains=bucket_domains(*hosts),
            temporary_identity=self._keys.temporary_identity,
            view=partial(
                StoreWithLogs, logs=self._logs, projects=runtime.accounts.projects_of, find_run=self._find_run
            ),
        )
        apps = (
            HostCheck(api, runtime.port, json_rejection, *hosts),
            HostCheck(FaultyStore(objects, control.faults), runtime.obs_port, xml_rejection, *hosts, has_buckets=True),
        )
        # Signatures of the object store are checked against real time, whatever the emulator's clock says.
        clocks = (options.clock, time.time)
        servers = [Server(server_config(app, clock)) for app, clock in zip(apps, clocks, strict=True)]
        control.faults.connections += [server.server_state.connections for server in servers]
        return servers

    @property
    def _executor_name(self) -> str:
        return self._options.executor if isinstance(self._options.executor, str) else "process"

    @cached_property
    def _most_running(self) -> int:
        """How many jobs have processes at once."""
        if self._executor.owns_queue:
            return UNLIMITED
        # Simulated jobs need no machine: how many run must not depend on it.
        pool = self._runtime.pool
        places = len(pool.devices) * pool.tasks_per_device
        default = UNLIMITED if self._simulated is not None else max(os.cpu_count() or 1, places)
        return self._options.max_running_jobs or default

    @cached_property
    def _nodes(self) -> dict[str, int]:
        """How many nodes there are of a flavor, where that is limited."""
        flavors = {} if self._executor.owns_queue else self._runtime.catalogue.flavors
        return {flavor_id: flavor["capacity"] for flavor_id, flavor in flavors.items() if "capacity" in flavor}

    def _job_environment(self, project_id: str) -> dict[str, str]:
        """The variables that the platform sets for the jobs of a project."""
        runtime = self._runtime
        owners = (identity for identity in runtime.credentials.identities if identity.project_id == project_id)
        return job_environment(runtime.endpoint, runtime.obs_endpoint, next(owners, None))

    def _store_of(self, project_id: str) -> AccountStore:
        """The object store as the account of the project sees it."""
        return AccountStore(self._store, self._runtime.accounts.account_of(project_id))

    def _find_run(self, run_id: str) -> Run | None:
        with self._runtime.database.reading() as connection:
            return runs.get(connection, run_id)

    def _bound_families(self) -> list[BoundFamily]:
        """The API families, each with what its handlers work with."""
        runtime, options = self._runtime, self._options
        obs_endpoint = partial(same_host, port=runtime.obs_port)
        service = ModelArts(
            database=runtime.database,
            catalogue=runtime.catalogue,
            store_of=self._store_of,
            executor=self._executor,
            capacity=self._capacity,
            logs=self._logs,
            supervisor=self.supervisor,
            max_jobs=options.max_jobs,
            offset_unit=options.offset_unit,
            is_simulated=self._simulated is not None,
            now=lambda: round(options.clock() * 1000),  # as the supervisor rounds
            obs_endpoint=obs_endpoint,
        )
        iam = Iam(runtime.accounts, self._tokens, self.revocations, self._keys, options.clock, obs_endpoint)
        return bind_families(FAMILIES, {family.name: service for family in FAMILIES} | {"iam": iam})

    def _show_devices(self) -> dict[str, Any]:
        """The accelerators that are given out, and the tasks that have them."""
        pool = self._runtime.pool
        tasks: dict[str, list[dict[str, str]]] = {device.id: [] for device in pool.devices}
        with self._runtime.database.reading() as connection:
            found = runs.with_specs(connection, [run for run in runs.launched(connection) if run.devices])
        for run in found:
            for task, own in zip(task_names(run.node_count), run.devices, strict=True):
                for device in own:
                    known = {"job_id": run.parent_id or run.id, "name": run.required_spec.name}
                    known["task"] = f"{run.trial}/{task}" if run.trial else task
                    tasks.setdefault(device["id"], []).append(known)
        devices = [{**asdict(device), "tasks": tasks[device.id]} for device in pool.devices]
        runtime, engines = self._runtime, self._runtime.catalogue.engines
        return {
            "devices": devices,
            "tasks_per_device": pool.tasks_per_device,
            "problems": pool.problems,
            "pythons": {name: runtime.find_python(engine) for name, engine in engines.items()},
            "explicit_pythons": [name for name, engine in engines.items() if runtime.explicit_python(engine)],
            "engine_patterns": list(self._options.engines),
            "python": str(runtime.python.path),
            "python_why": runtime.python.why,
        }

    def _show_queue(self) -> dict[str, Any]:
        """The nodes of each flavor, the jobs that hold some, and those that wait; EmulatorError if another queues."""
        if self._executor.owns_queue:
            raise EmulatorError("Slurm has the queue: squeue shows it")
        with self._runtime.database.reading() as connection:
            return {**self._limits, **queue.show(connection, self._capacity)}

    def _control(self) -> Control:
        """What the control API controls."""
        runtime, options, simulated = self._runtime, self._options, self._simulated
        faults = Faults(self._families)
        time_travel = TimeTravel(options.clock, simulated, self.supervisor, runtime.folder.path)
        calls = load = None
        if runtime.fixtures is not None:
            load = partial(runtime.fixtures.load, self._families, self._store, runtime.credentials.identities[0])
        if options.record_calls:
            calls = Calls(faults, (operation for bound in self._families for operation in bound.contract.operations))
        plans = simulated.plans if simulated is not None else None
        capabilities = {
            "documents": [bound.family.name for bound in self._families],
            "authentication": ["token", "signature"],
            "executor": self._executor_name,
            "offset_unit": options.offset_unit,
            **self._limits,
            "devices": len(runtime.pool.devices),
        }
        parts = (runtime.database, self._store, self.supervisor, time_travel, faults, plans, calls)
        return Control(
            runtime.credentials.control_token,
            lambda host: {
                "obs_endpoint": same_host(host, runtime.obs_port),
                "capabilities": capabilities,
                "supervises": runtime.leadership.is_leader,
            },
            self._show_devices,
            self._show_queue,
            Reset(*parts, load, runtime.folder),
            time_travel,
            faults,
            TaskFaults(runtime.database, self._executor, self.supervisor),
            plans,
            calls,
        )

"""The options of an emulator."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

from modelarts_emulator.clock import Clock
from modelarts_emulator.errors import EmulatorError
from modelarts_emulator.execution.devices import Device
from modelarts_emulator.execution.protocol import Executor
from modelarts_emulator.execution.registry import check_executor_name
from modelarts_emulator.execution.task.namespaces import PathChoice
from modelarts_emulator.http.access import LIFETIME
from modelarts_emulator.http.host_check import check_allowed_host
from modelarts_emulator.settings.accounts import REGION, check_region
from modelarts_emulator.settings.client_env import HOST, OBS_PORT, PORT, check_address

OffsetUnit = Literal["page", "record"]
OFFSET_UNITS = get_args(OffsetUnit)
ACCESS_LOG = "MODELARTS_EMULATOR_ACCESS_LOG"


@dataclass(frozen=True, slots=True)
class Options:
    """How an emulator is set up; port 0 is any free port, times are in seconds, and paths may be texts.

    `host` is the IP address to listen on; clients may also use `allowed_hosts`, each a name, or a name and a port.
    `database_url` is that of a PostgreSQL database, which then holds the state instead of a file in the data folder.
    `credentials` is a file of users, instead of the one that the data folder has. `region` is the one that the emulator
    stands for; every account has a project of that name.
    Without `fsync`, as in tests, a crash of the machine may lose objects that were acknowledged.
    `stop_grace_s` is how long a job that is stopped may take to end before its processes are killed.
    `max_running_jobs` counts jobs that have processes; the others wait in Pending. `capacity` says, by flavor, how many
    nodes there are of it; `max_jobs` is a project's quota of jobs, and of visualization jobs, ended ones included.
    `devices` are the accelerators that are given to tasks, each to `share_devices` of them at once: by default all that
    nvidia-smi and npu-smi show where jobs run as processes; "none", a text such as "0,1,3" of their numbers or UUIDs,
    or devices that are declared, for any executor that has no queue of its own.
    `executor` is "process", "simulated", "slurm", the name of another package's, or an object that is one.
    `paths` is how tasks see `/home/ma-user` and `/cache`: "namespace", "mapping", or "auto" for what the system allows.
    `engines` gives, by a pattern of engines' names, ids or versions, the Python that runs their boot files.
    `seeds` is a folder of what exists after a start without state, and after a reset; `forget` begins without state.
    `access_log` is a file that gets a line for each request; by default that of MODELARTS_EMULATOR_ACCESS_LOG.
    `record_calls` keeps the newest calls in memory, to be asked for by tests.
    `clock` returns seconds since 1970; only a `Clock` can be held and moved by those who use the emulator.
    """

    data_dir: Path
    port: int = PORT
    obs_port: int = OBS_PORT
    host: str = HOST
    allowed_hosts: Sequence[str] = ()
    credentials: Path | None = None
    region: str = REGION
    fsync: bool = True
    catalogue: Path | None = None
    metrics_period: float = 60
    stop_grace_s: float = 10
    token_lifetime: float = LIFETIME
    check_responses: bool = False
    keep_jobs: bool = False
    max_running_jobs: int | None = None
    capacity: Mapping[str, int] = field(default_factory=dict)
    max_jobs: int = 10_000
    offset_unit: OffsetUnit = "page"
    devices: Sequence[Device] | str | None = None
    share_devices: int = 1
    executor: Executor | str = "process"
    paths: PathChoice = "auto"
    engines: Mapping[str, Path] = field(default_factory=dict)
    install_requirements: bool = False
    seeds: Path | None = None
    forget: bool = False
    record_calls: bool = False
    access_log: Path | None = field(
        default_factory=lambda: Path(os.environ[ACCESS_LOG]) if os.environ.get(ACCESS_LOG) else None
    )
    clock: Callable[[], float] = field(default_factory=Clock)
    database_url: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Take texts for paths; raises EmulatorError for a choice that does not exist."""
        for name in ("data_dir", "credentials", "catalogue", "seeds", "access_log"):
            if (path := getattr(self, name)) is not None:
                object.__setattr__(self, name, Path(path))
        object.__setattr__(
            self, "engines", {pattern: Path(python).expanduser() for pattern, python in self.engines.items()}
        )
        if isinstance(self.allowed_hosts, str):
            object.__setattr__(self, "allowed_hosts", (self.allowed_hosts,))
        if self.max_running_jobs is not None and self.max_running_jobs < 1:
            raise EmulatorError(
                f"max_running_jobs must be at least 1, not {self.max_running_jobs}: None is the default"
            )
        if self.share_devices < 1:
            raise EmulatorError(f"share_devices must be at least 1 task, not {self.share_devices}")
        check_address(self.host)
        check_region(self.region)
        for name in self.allowed_hosts:
            check_allowed_host(name)
        if isinstance(self.executor, str):
            check_executor_name(self.executor)
        if self.offset_unit not in OFFSET_UNITS:
            raise EmulatorError(f"offset_unit must be {' or '.join(OFFSET_UNITS)}, not {self.offset_unit!r}")

    @property
    def is_shared(self) -> bool:
        """Whether several front ends may serve the database: not where jobs are simulated in one process's memory."""
        return self.database_url is not None and isinstance(self.executor, str) and self.executor != "simulated"

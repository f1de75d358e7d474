"""Calls: what a handler is given and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection
from sqlalchemy.exc import OperationalError

from modelarts_emulator.control.faults import Faults
from modelarts_emulator.database.engine import transaction
from modelarts_emulator.execution.protocol import Executor
from modelarts_emulator.execution.simulated.time_travel import Timekeeper
from modelarts_emulator.http.errors import DatabaseLocked, is_disk_full
from modelarts_emulator.http.tokens import Tokens
from modelarts_emulator.jobs.log_archive import Archive
from modelarts_emulator.jobs.quota import Quota
from modelarts_emulator.jobs.supervisor import Supervisor
from modelarts_emulator.settings.accounts import Identity
from modelarts_emulator.settings.catalogue import Catalogue
from modelarts_emulator.storage.protocol import Store
from modelarts_emulator.testing.fixtures import Seeds
from modelarts_emulator.v2.job_queries import OffsetUnit

if TYPE_CHECKING:
    from modelarts_emulator.execution.simulated.plans import Plans
    from modelarts_emulator.testing.unused_fields import Unread

__all__ = ["Answer", "Call", "Handler", "Services"]


@dataclass(frozen=True, slots=True)
class Services:
    """What all handlers share; `clock` is in seconds since 1970.

    `reader` answers single questions, each as the state is at that moment; `writer` is for `writing`. Both are kept
    open, for to open and close a connection takes longer than to ask for one job.
    `plans` are those of simulated jobs; None if jobs really run.
    """

    reader: Connection
    writer: Connection
    catalogue: Catalogue
    identities: tuple[Identity, ...]
    control_token: str = field(repr=False)
    tokens: Tokens
    store: Store
    executor: Executor
    supervisor: Supervisor
    archive: Archive
    clock: Callable[[], float]
    timekeeper: Timekeeper
    obs_port: int
    quota: Quota
    offset_unit: OffsetUnit = "page"
    plans: Plans | None = None
    unread: Unread | None = None
    faults: Faults = field(default_factory=Faults)
    seeds: Seeds | None = None

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction, committed at the end of the block unless something is raised there.

        Raises DatabaseLocked if another program locks the database for longer than SQLite waits for it.
        """
        try:
            with transaction(self.writer):
                yield self.writer
        except OperationalError as error:
            if is_disk_full(error):
                raise
            raise DatabaseLocked(error.orig) from error

    def obs_endpoint(self, host: str) -> str:
        """The URL of the object store for a client that sends this Host header to the API."""
        name, _, port = host.rpartition(":")
        return f"http://{name if name and port.isdigit() else host}:{self.obs_port}"

    def now(self) -> int:
        """Milliseconds since 1970, as the service's answers have them; rounded as the supervisor rounds."""
        return round(self.clock() * 1000)


@dataclass(frozen=True, slots=True)
class Call:
    """One request that is allowed and well-formed; `identities` is empty where no token is asked for."""

    services: Services
    path: Mapping[str, Any]
    query: Mapping[str, Any]
    headers: Mapping[str, str]
    body: Any
    identities: tuple[Identity, ...]

    @property
    def identity(self) -> Identity:
        """Who calls, in the project that the path names."""
        return self.identities[0]

    @property
    def endpoint(self) -> str:
        """The URL by which the client reached the API, which it can reach the rest by, too."""
        return f"http://{self.headers['host']}"

    @property
    def project_id(self) -> str:
        return self.identity.project_id


@dataclass(frozen=True, slots=True)
class Answer:
    """A status, a body (None: no content; Encoded, Flow: JSON text; else what JSON is to be made of) and headers."""

    status: int
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


Handler = Callable[[Call], Answer]

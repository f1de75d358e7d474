"""Reset: everything that an emulator holds is gone but the tokens it issued, and the fixtures are loaded anew."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlalchemy import delete, exists, select

from modelarts_emulator.control.calls import Calls
from modelarts_emulator.control.faults import Faults
from modelarts_emulator.control.time_travel import TimeTravel
from modelarts_emulator.engine import runs
from modelarts_emulator.engine.database import Database
from modelarts_emulator.engine.supervisor import Supervisor
from modelarts_emulator.engine.tables import metadata, removals, settings
from modelarts_emulator.errors import EmulatorError
from modelarts_emulator.iam.tokens import revoked_tokens
from modelarts_emulator.settings.data_folder import DataFolder, running_emulator
from modelarts_emulator.storage.multipart import Uploads
from modelarts_emulator.storage.protocol import Store
from modelarts_emulator.v2.jobs import job_counts

if TYPE_CHECKING:
    from modelarts_emulator.execution.simulated.plan import Plans

# The supervisor needs the removals to end processes; settings and tokens are not state of the service.
KEPT = {settings.name, revoked_tokens.name, removals.name}


@dataclass(frozen=True, slots=True)
class Reset:
    """Takes away everything that an emulator holds, and loads its fixtures."""

    database: Database
    store: Store
    supervisor: Supervisor
    time_travel: TimeTravel
    faults: Faults
    plans: Plans | None
    calls: Calls | None
    load_fixtures: Callable[[], Awaitable[None]] | None
    folder: DataFolder
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def has_state(self) -> bool:
        """Whether there is anything that a reset would take away."""
        tables = (table for table in metadata.sorted_tables if table.name not in {*KEPT, job_counts.name})
        with self.database.reading() as connection:
            rows = any(connection.execute(select(exists(select(1).select_from(table)))).scalar() for table in tables)
        return rows or bool(self.store.buckets())

    async def __call__(self) -> None:
        """Delete jobs, algorithms, events, searches, faults, calls, plans and objects, and set the clock to real time.

        When it returns, the jobs' processes have ended and the fixtures are loaded; raises EmulatorError if they
        cannot be, and then nothing is left, or if the data folder holds files of others or another process supervises
        the jobs, and then nothing is changed.
        """
        if not self.folder.is_own:
            raise EmulatorError(
                f"the data folder {self.folder.path} held other files when the emulator first used it, and a reset may"
                " delete them: start the emulator with another folder (--data-dir)"
            )
        if not self.database.leadership.is_leader:
            await asyncio.to_thread(self.database.leadership.count_others)  # raises if the database cannot be used
            where = (running_emulator(self.folder.path) or {}).get("endpoint", "the front end that supervises jobs")
            raise EmulatorError(f"this front end does not supervise the jobs, so it cannot reset them: reset {where}")
        await self.start_over()

    async def start_over(self) -> None:
        """Do the same without the checks of the folder's owner and of the leader."""
        async with self.lock:
            await self._clear()
            if self.load_fixtures is None:
                return
            try:
                await self.load_fixtures()
            except BaseException:
                await self._clear()
                raise

    async def _clear(self) -> None:
        for rules in (self.faults, self.calls, self.plans):
            if rules is not None:
                rules.clear()
        await asyncio.to_thread(self._clear_tables)
        await self.supervisor.purge_removed()
        await self.supervisor.settle()
        await self.time_travel.reset()
        await asyncio.to_thread(self.store.clear)
        await asyncio.to_thread(Uploads(self.store).forget)

    def _clear_tables(self) -> None:
        with self.database.writing() as connection:
            runs.remove_all(connection)
            for table in metadata.sorted_tables:
                if table.name not in KEPT:
                    connection.execute(delete(table))

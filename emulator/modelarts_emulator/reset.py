"""Reset: everything that an emulator holds is gone but the tokens it issued, and the seeds are there anew."""

from __future__ import annotations

import asyncio

from sqlalchemy import delete

from modelarts_emulator import jobs
from modelarts_emulator.calls import Services
from modelarts_emulator.tables import metadata, removals, settings

__all__ = ["reset"]

# The supervisor needs the removals to end processes; the settings are no state of the service.
KEPT = {settings.name, removals.name}


async def reset(services: Services) -> None:
    """Forget jobs, algorithms, events, faults and objects; when it returns, the jobs' processes have ended."""
    services.faults.clear()
    if services.plans is not None:
        services.plans.clear()
    with services.engine.begin() as connection:
        for job in jobs.every(connection):
            jobs.remove(connection, job)
        for table in metadata.sorted_tables:
            if table.name not in KEPT:
                connection.execute(delete(table))
    services.supervisor.wake()
    await services.supervisor.clear_away()
    await asyncio.to_thread(services.store.clear)
    await services.timekeeper.reset()

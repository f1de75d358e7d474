"""Reset: everything that an emulator holds is gone but the tokens it issued, and the seeds are there anew."""

from __future__ import annotations

import asyncio

from sqlalchemy import delete, exists, select

from modelarts_emulator.http.call import Services
from modelarts_emulator.jobs import store
from modelarts_emulator.jobs.tables import job_counts, metadata, removals, searches, settings, trials

__all__ = ["has_state", "reset"]

# The supervisor needs the removals to end processes; the settings are no state of the service, nor are counts.
# Searches and trials are the executor's: it reads and writes them in a thread of its own, finds the trials' processes
# through them, and deletes them with their jobs.
KEPT = {settings.name, removals.name, job_counts.name, searches.name, trials.name}


def has_state(services: Services) -> bool:
    """Whether there is anything that a reset would take away."""
    tables = (table for table in metadata.sorted_tables if table.name not in KEPT)
    rows = any(services.reader.execute(select(exists(select(1).select_from(table)))).scalar() for table in tables)
    return rows or bool(services.store.buckets())


async def reset(services: Services) -> None:
    """Forget jobs, algorithms, events, searches, faults, plans and objects, and let the clock tell real time.

    When it returns, the jobs' processes have ended and the seeds are sown; raises EmulatorError if they cannot be,
    and then nothing is left.
    """
    await _clear(services)
    if services.seeds is None:
        return
    try:
        await services.seeds.sow(services)
    except BaseException:
        await _clear(services)
        raise


async def _clear(services: Services) -> None:
    services.faults.clear()
    if services.plans is not None:
        services.plans.clear()
    with services.writing() as connection:
        store.remove_all(connection)
        for table in metadata.sorted_tables:
            if table.name not in KEPT:
                connection.execute(delete(table))
    services.supervisor.wake()
    # Logs are objects, and all objects go.
    await services.supervisor.clear_away(with_logs=False)
    await services.timekeeper.reset()
    await asyncio.to_thread(services.store.clear)

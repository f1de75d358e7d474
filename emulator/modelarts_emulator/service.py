"""The context of the handlers of both versions of ModelArts."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from modelarts_emulator.engine import runs
from modelarts_emulator.engine.database import Database
from modelarts_emulator.engine.logs import Logs
from modelarts_emulator.engine.runs import Run
from modelarts_emulator.engine.scheduler import Capacity
from modelarts_emulator.engine.supervisor import Supervisor
from modelarts_emulator.execution.protocol import Executor
from modelarts_emulator.options import OffsetUnit
from modelarts_emulator.settings.catalogue import Catalogue
from modelarts_emulator.storage.protocol import AccountStore


@dataclass(frozen=True, slots=True)
class ModelArts:
    """`max_jobs` limits the jobs of a project, and its visualization jobs, ended ones included.

    `store_of` gives the object store as the account of a project sees it, `now` the time in milliseconds since 1970,
    `obs_endpoint` the URL of the object store for a Host header.
    """

    database: Database
    catalogue: Catalogue
    store_of: Callable[[str], AccountStore]
    executor: Executor
    capacity: Capacity
    logs: Logs
    supervisor: Supervisor
    max_jobs: int
    offset_unit: OffsetUnit
    is_simulated: bool
    now: Callable[[], int]
    obs_endpoint: Callable[[str], str]

    def usage(self, run: Run, task: str) -> Mapping[str, Sequence[float]]:
        """The metrics of a task by name, of a search those of its trials one after another; empty without any."""
        found = [run]
        if run.is_search:
            with self.database.reading() as connection:
                found = runs.trials(connection, run)
        joint: dict[str, list[float]] = {}
        for one in found:
            with contextlib.suppress(KeyError):
                values = self.executor.usage(one.id, task) if one.was_launched else None
                for name, more in (values or {}).items():
                    joint.setdefault(name, []).extend(more)
        return joint

"""What the handlers of ModelArts v2 work with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from modelarts_emulator.engine.database import Database
from modelarts_emulator.engine.supervisor import Supervisor
from modelarts_emulator.execution.protocol import Executor
from modelarts_emulator.settings.catalogue import Catalogue
from modelarts_emulator.storage.protocol import Store
from modelarts_emulator.v2.job_queries import OffsetUnit

__all__ = ["V2"]


@dataclass(frozen=True, slots=True)
class V2:
    """`now` is in milliseconds since 1970; `obs_endpoint` gives the URL of the object store for a Host header."""

    database: Database
    catalogue: Catalogue
    store: Store
    executor: Executor
    supervisor: Supervisor
    max_jobs: int
    now: Callable[[], int]
    obs_endpoint: Callable[[str], str]
    offset_unit: OffsetUnit
    is_simulated: bool

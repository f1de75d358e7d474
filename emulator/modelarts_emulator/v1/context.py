"""What the handlers of ModelArts v1 work with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from modelarts_emulator.engine.database import Database
from modelarts_emulator.engine.supervisor import Supervisor
from modelarts_emulator.execution.protocol import Executor
from modelarts_emulator.settings.catalogue import Catalogue
from modelarts_emulator.storage.protocol import Store
from modelarts_emulator.visualization.supervisor import VisualizationSupervisor

__all__ = ["V1"]


@dataclass(frozen=True, slots=True)
class V1:
    """`now` gives the time in milliseconds since 1970.

    `max_jobs` and `max_visualization_jobs` limit the jobs of a project, ended ones included.
    """

    database: Database
    catalogue: Catalogue
    store: Store
    executor: Executor
    supervisor: Supervisor
    max_jobs: int
    visualizations: VisualizationSupervisor
    max_visualization_jobs: int
    is_simulated: bool
    now: Callable[[], int]

"""The context of the handlers of both versions of ModelArts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from modelarts_emulator.engine.database import Database
from modelarts_emulator.engine.runs import Run
from modelarts_emulator.engine.supervisor import Supervisor
from modelarts_emulator.execution.protocol import Executor
from modelarts_emulator.options import OffsetUnit
from modelarts_emulator.settings.catalogue import Catalogue
from modelarts_emulator.storage.protocol import Store
from modelarts_emulator.visualization.runner import VisualizationRunner

__all__ = ["ModelArts"]


@dataclass(frozen=True, slots=True)
class ModelArts:
    """`max_jobs` and `max_visualization_jobs` limit the jobs of a project, ended ones included.

    `now` gives the time in milliseconds since 1970, `obs_endpoint` the URL of the object store for a Host header.
    """

    database: Database
    catalogue: Catalogue
    store: Store
    executor: Executor
    supervisor: Supervisor
    visualizations: VisualizationRunner
    max_jobs: int
    max_visualization_jobs: int
    offset_unit: OffsetUnit
    is_simulated: bool
    now: Callable[[], int]
    obs_endpoint: Callable[[str], str]

    def usage(self, run: Run, task: str) -> Mapping[str, Sequence[float]]:
        """The metrics of a task, by name; empty before there are any."""
        try:
            return (self.executor.usage(run.id, task) if run.was_launched else None) or {}
        except KeyError:
            return {}

"""What the handlers of ModelArts v1 work with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from modelarts_emulator.database.access import Database
from modelarts_emulator.storage.protocol import Store
from modelarts_emulator.visualization.supervisor import VisualizationSupervisor

__all__ = ["V1"]


@dataclass(frozen=True, slots=True)
class V1:
    """`clock` is in seconds since 1970; `max_visualization_jobs` counts those of a project, ended ones included."""

    database: Database
    store: Store
    visualizations: VisualizationSupervisor
    max_visualization_jobs: int
    is_simulated: bool
    clock: Callable[[], float]

    def now(self) -> int:
        """Milliseconds since 1970, as the service's responses have them; rounded as the supervisor rounds."""
        return round(self.clock() * 1000)

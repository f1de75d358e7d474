"""The table: which function serves which operation of ModelArts v1, and which operations are not emulated."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from modelarts_emulator.http.call import Answer, Call
from modelarts_emulator.http.family import ApiFamily
from modelarts_emulator.v1.context import V1
from modelarts_emulator.v1.errors import V1Errors
from modelarts_emulator.v1.handlers import visualization_jobs

__all__ = ["FAMILY", "HANDLERS"]

HANDLERS: Mapping[str, Callable[[V1, Call], Answer]] = {
    "createVisualizationJob": visualization_jobs.create_visualization_job,
    "listVisualizationJobs": visualization_jobs.list_visualization_jobs,
    "showVisualizationJob": visualization_jobs.show_visualization_job,
    "updateVisualizationJob": visualization_jobs.update_visualization_job,
    "deleteVisualizationJob": visualization_jobs.delete_visualization_job,
    "stopVisualizationJob": visualization_jobs.stop_visualization_job,
    "restartVisualizationJob": visualization_jobs.restart_visualization_job,
}

NOT_EMULATED = frozenset(
    {
        "createTrainingJob",
        "createTrainingJobConfig",
        "createTrainingJobVersion",
        "deleteTrainingJob",
        "deleteTrainingJobConfig",
        "deleteTrainingJobVersion",
        "listBuiltInAlgorithms",
        "listJobEngines",
        "listJobResourceSpecs",
        "listTrainingJobConfigs",
        "listTrainingJobLogFiles",
        "listTrainingJobVersions",
        "listTrainingJobs",
        "showTrainingJobConfig",
        "showTrainingJobLog",
        "showTrainingJobVersion",
        "stopTrainingJobVersion",
        "updateTrainingJob",
        "updateTrainingJobConfig",
    }
)

FAMILY = ApiFamily("v1", HANDLERS, V1Errors(), not_emulated=NOT_EMULATED)

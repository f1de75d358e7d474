"""The table: which function serves which operation of ModelArts v1, and which operations are not emulated."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from modelarts_emulator.http.call import Answer, Call
from modelarts_emulator.http.family import ApiFamily
from modelarts_emulator.v1.context import V1
from modelarts_emulator.v1.errors import V1Errors

__all__ = ["FAMILY", "HANDLERS"]

HANDLERS: Mapping[str, Callable[[V1, Call], Answer]] = {}

NOT_EMULATED = frozenset(
    {
        "createTrainingJob",
        "createTrainingJobConfig",
        "createTrainingJobVersion",
        "createVisualizationJob",
        "deleteTrainingJob",
        "deleteTrainingJobConfig",
        "deleteTrainingJobVersion",
        "deleteVisualizationJob",
        "listBuiltInAlgorithms",
        "listJobEngines",
        "listJobResourceSpecs",
        "listTrainingJobConfigs",
        "listTrainingJobLogFiles",
        "listTrainingJobVersions",
        "listTrainingJobs",
        "listVisualizationJobs",
        "restartVisualizationJob",
        "showTrainingJobConfig",
        "showTrainingJobLog",
        "showTrainingJobVersion",
        "showVisualizationJob",
        "stopTrainingJobVersion",
        "stopVisualizationJob",
        "updateTrainingJob",
        "updateTrainingJobConfig",
        "updateVisualizationJob",
    }
)

FAMILY = ApiFamily("v1", HANDLERS, V1Errors(), not_emulated=NOT_EMULATED)

"""The table: which function serves which operation of ModelArts v1."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from modelarts_emulator.http.call import Call, Response
from modelarts_emulator.http.family import ApiFamily
from modelarts_emulator.v1.context import V1
from modelarts_emulator.v1.errors import V1Errors
from modelarts_emulator.v1.fixtures import FIXTURES
from modelarts_emulator.v1.handlers import (
    built_in_algorithms,
    configs,
    job_engines,
    logs,
    resource_specs,
    versions,
    visualization_jobs,
)
from modelarts_emulator.v1.handlers import training_jobs as jobs

__all__ = ["FAMILY", "HANDLERS"]


HANDLERS: Mapping[str, Callable[[V1, Call], Response]] = {
    "createTrainingJob": jobs.create_training_job,
    "listTrainingJobs": jobs.list_training_jobs,
    "updateTrainingJob": jobs.update_training_job,
    "deleteTrainingJob": jobs.delete_training_job,
    "createTrainingJobVersion": versions.create_training_job_version,
    "listTrainingJobVersions": versions.list_training_job_versions,
    "showTrainingJobVersion": versions.show_training_job_version,
    "stopTrainingJobVersion": versions.stop_training_job_version,
    "deleteTrainingJobVersion": versions.delete_training_job_version,
    "listTrainingJobLogFiles": logs.list_training_job_log_files,
    "showTrainingJobLog": logs.show_training_job_log,
    "listBuiltInAlgorithms": built_in_algorithms.list_built_in_algorithms,
    "createTrainingJobConfig": configs.create_training_job_config,
    "listTrainingJobConfigs": configs.list_training_job_configs,
    "showTrainingJobConfig": configs.show_training_job_config,
    "updateTrainingJobConfig": configs.update_training_job_config,
    "deleteTrainingJobConfig": configs.delete_training_job_config,
    "listJobResourceSpecs": resource_specs.list_job_resource_specs,
    "listJobEngines": job_engines.list_job_engines,
    "createVisualizationJob": visualization_jobs.create_visualization_job,
    "listVisualizationJobs": visualization_jobs.list_visualization_jobs,
    "showVisualizationJob": visualization_jobs.show_visualization_job,
    "updateVisualizationJob": visualization_jobs.update_visualization_job,
    "deleteVisualizationJob": visualization_jobs.delete_visualization_job,
    "stopVisualizationJob": visualization_jobs.stop_visualization_job,
    "restartVisualizationJob": visualization_jobs.restart_visualization_job,
}

FAMILY = ApiFamily("v1", HANDLERS, V1Errors(), fixtures=FIXTURES)

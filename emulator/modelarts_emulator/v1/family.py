"""ModelArts v1 as an API family: which function serves which operation, and kinds of fixtures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from modelarts_emulator.http.family import ApiFamily, Call, FixtureKind, Response
from modelarts_emulator.service import ModelArts
from modelarts_emulator.v1 import configs, logs, specifications, training_jobs, visualizations
from modelarts_emulator.v1.conventions import V1Errors

HANDLERS: Mapping[str, Callable[[ModelArts, Call], Response]] = {
    "createTrainingJob": training_jobs.create_training_job,
    "listTrainingJobs": training_jobs.list_training_jobs,
    "updateTrainingJob": training_jobs.update_training_job,
    "deleteTrainingJob": training_jobs.delete_training_job,
    "createTrainingJobVersion": training_jobs.create_training_job_version,
    "listTrainingJobVersions": training_jobs.list_training_job_versions,
    "showTrainingJobVersion": training_jobs.show_training_job_version,
    "stopTrainingJobVersion": training_jobs.stop_training_job_version,
    "deleteTrainingJobVersion": training_jobs.delete_training_job_version,
    "listTrainingJobLogFiles": logs.list_training_job_log_files,
    "showTrainingJobLog": logs.show_training_job_log,
    "listBuiltInAlgorithms": specifications.list_built_in_algorithms,
    "createTrainingJobConfig": configs.create_training_job_config,
    "listTrainingJobConfigs": configs.list_training_job_configs,
    "showTrainingJobConfig": configs.show_training_job_config,
    "updateTrainingJobConfig": configs.update_training_job_config,
    "deleteTrainingJobConfig": configs.delete_training_job_config,
    "listJobResourceSpecs": specifications.list_job_resource_specs,
    "listJobEngines": specifications.list_job_engines,
    "createVisualizationJob": visualizations.create_visualization_job,
    "listVisualizationJobs": visualizations.list_visualization_jobs,
    "showVisualizationJob": visualizations.show_visualization_job,
    "updateVisualizationJob": visualizations.update_visualization_job,
    "deleteVisualizationJob": visualizations.delete_visualization_job,
    "stopVisualizationJob": visualizations.stop_visualization_job,
    "restartVisualizationJob": visualizations.restart_visualization_job,
}


def _read_id(document: Any) -> str:
    return str(document.get("job_id", ""))


FIXTURES = (
    FixtureKind("v1-training-job-configs", "createTrainingJobConfig", _read_id),
    FixtureKind("v1-training-jobs", "createTrainingJob", _read_id),
)

FAMILY = ApiFamily("v1", HANDLERS, V1Errors(), fixtures=FIXTURES)

"""The table: which function serves which operation of ModelArts v2."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from modelarts_emulator.http.call import Call, Response
from modelarts_emulator.http.family import ApiFamily
from modelarts_emulator.v2.context import V2
from modelarts_emulator.v2.errors import V2Errors
from modelarts_emulator.v2.fixtures import FIXTURES
from modelarts_emulator.v2.handlers import (
    algorithms,
    engines,
    events,
    flavors,
    hyperparameter_searches,
    logs,
    metrics,
    search_algorithms,
    training_jobs,
)

__all__ = ["FAMILY", "HANDLERS"]

HANDLERS: Mapping[str, Callable[[V2, Call], Response]] = {
    "showTrainingJobFlavors": flavors.show_training_job_flavors,
    "showTrainingJobEngines": engines.show_training_job_engines,
    "createAlgorithm": algorithms.create_algorithm,
    "listAlgorithms": algorithms.list_algorithms,
    "showAlgorithmByUuid": algorithms.show_algorithm_by_uuid,
    "changeAlgorithm": algorithms.change_algorithm,
    "deleteAlgorithm": algorithms.delete_algorithm,
    "createTrainingJob": training_jobs.create_training_job,
    "showTrainingJobDetails": training_jobs.show_training_job_details,
    "listTrainingJobs": training_jobs.list_training_jobs,
    "changeTrainingJobDescription": training_jobs.change_training_job_description,
    "stopTrainingJob": training_jobs.stop_training_job,
    "deleteTrainingJob": training_jobs.delete_training_job,
    "showTrainingJobLogsPreview": logs.show_training_job_logs_preview,
    "showObsUrlOfTrainingJobLogs": logs.show_obs_url_of_training_job_logs,
    "showTrainingJobMetrics": metrics.show_training_job_metrics,
    "listTrainingJobEvents": events.list_training_job_events,
    "showSearchAlgorithms": search_algorithms.show_search_algorithms,
    "showAutoSearchTrials": hyperparameter_searches.show_auto_search_trials,
    "showAutoSearchPerTrial": hyperparameter_searches.show_auto_search_per_trial,
    "stopAutoSearchTrial": hyperparameter_searches.stop_auto_search_trial,
    "showAutoSearchParamsAnalysis": hyperparameter_searches.show_auto_search_params_analysis,
    "showAutoSearchParamAnalysisResultPath": hyperparameter_searches.show_auto_search_param_analysis_result_path,
    "showAutoSearchYamlTemplatesInfo": hyperparameter_searches.show_auto_search_yaml_templates_info,
    "showAutoSearchYamlTemplateContent": hyperparameter_searches.show_auto_search_yaml_template_content,
}

# The use case "Using PyTorch to Create a Training Job" prints this path, the page of the operation another one.
ALIASES = {"/v2/{project_id}/job/training-job-engines": "/v2/{project_id}/training-job-engines"}

QUICK = frozenset({"showTrainingJobDetails"})

READING = frozenset({"listTrainingJobs"})

FAMILY = ApiFamily("v2", HANDLERS, V2Errors(), ALIASES, FIXTURES, quick=QUICK, reading=READING)

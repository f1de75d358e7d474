"""The table: which function serves which operation of which document."""

from __future__ import annotations

from collections.abc import Mapping

from modelarts_emulator.http.call import Handler
from modelarts_emulator.iam import handlers
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

__all__ = ["HANDLERS"]

HANDLERS: Mapping[str, Mapping[str, Handler]] = {
    "iam": {
        "listVersions": handlers.list_versions,
        "showVersion": handlers.show_version,
        "createToken": handlers.create_token,
        "listProjects": handlers.list_projects,
    },
    "v2": {
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
    },
}

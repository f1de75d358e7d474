"""ModelArts v2 as an API family: which function serves which operation, errors, and kinds of fixtures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.http.family import ApiFamily, Call, ErrorFormat, FixtureKind, Response
from modelarts_emulator.service import ModelArts
from modelarts_emulator.v2 import (
    algorithms,
    experiments,
    fine_tuning,
    images,
    programs,
    quotas,
    resources,
    searches,
    stages,
    tags,
    task_outputs,
    training_jobs,
)
from modelarts_openapi.error_codes import ERROR_CODES

HANDLERS: Final[Mapping[str, Callable[[ModelArts, Call], Response]]] = {
    "showTrainingJobFlavors": resources.show_training_job_flavors,
    "showTrainingJobEngines": programs.show_training_job_engines,
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
    "batchDeleteTrainingJob": training_jobs.batch_delete_training_job,
    "validateTrainingJobName": training_jobs.validate_training_job_name,
    "listTrainingJobStages": stages.list_training_job_stages,
    "listTrainingJobTasks": stages.list_training_job_tasks,
    "listEventCategories": stages.list_event_categories,
    "showTrainingJobLogsFromAom": task_outputs.show_training_job_logs_from_aom,
    "showTrainingJobLogsPreview": task_outputs.show_training_job_logs_preview,
    "showObsUrlOfTrainingJobLogs": task_outputs.show_obs_url_of_training_job_logs,
    "showTrainingJobMetrics": task_outputs.show_training_job_metrics,
    "listTrainingJobEvents": task_outputs.list_training_job_events,
    "showTrainJobTags": tags.show_train_job_tags,
    "createTrainJobTags": tags.create_train_job_tags,
    "deleteTrainJobTags": tags.delete_train_job_tags,
    "listTrainingJobTags": tags.list_training_job_tags,
    "listTrainingJobsByTags": tags.list_training_jobs_by_tags,
    "countTrainingJobsByTags": tags.count_training_jobs_by_tags,
    "createTrainingExperiment": experiments.create_training_experiment,
    "listTrainingExperiments": experiments.list_training_experiments,
    "showTrainingExperimentDetails": experiments.show_training_experiment_details,
    "changeTrainingExperiment": experiments.change_training_experiment,
    "deleteTrainingExperiment": experiments.delete_training_experiment,
    "checkTrainingExperiment": experiments.check_training_experiment,
    "showFtMetrics": fine_tuning.show_ft_metrics,
    "listFtArtifacts": fine_tuning.list_ft_artifacts,
    "createSaveImageJob": images.create_save_image_job,
    "showSaveImageJob": images.show_save_image_job,
    "showTrainingQuotas": quotas.show_training_quotas,
    "modifyTrainingQuotas": quotas.modify_training_quotas,
    "showSearchAlgorithms": searches.show_search_algorithms,
    "showAutoSearchTrials": searches.show_auto_search_trials,
    "showAutoSearchPerTrial": searches.show_auto_search_per_trial,
    "stopAutoSearchTrial": searches.stop_auto_search_trial,
    "showAutoSearchParamsAnalysis": searches.show_auto_search_params_analysis,
    "showAutoSearchParamAnalysisResultPath": searches.show_auto_search_param_analysis_result_path,
    "showAutoSearchYamlTemplatesInfo": searches.show_auto_search_yaml_templates_info,
    "showAutoSearchYamlTemplateContent": searches.show_auto_search_yaml_template_content,
}

# The use case "Using PyTorch to Create a Training Job" prints this path, the page of the operation another one.
ALIASES = {"/v2/{project_id}/job/training-job-engines": "/v2/{project_id}/training-job-engines"}

# Where the emulator knows a better remedy than the one that holds for every service.
REMEDIES: Final[dict[str, str]] = {
    "ModelArts.0102": 'Use workspace "0", the only one that the emulator has.',
    "ModelArts.2783": "Read the data from OBS, the emulator has no datasets: give remote.obs.obs_url.",
    "ModelArts.2858": "Leave the parameter out, or use the real service.",
    "ModelArts.2950": "Report this with the request and the emulator's output.",
}


class V2Errors(ErrorFormat):
    """Errors as ModelArts v2 sends them, with what the caller can do."""

    def response(self, error: ServiceError) -> Response:
        """The error's status, and its code, message and solution as a body."""
        code = self.code_of(error.code)
        known = ERROR_CODES.get(code)
        solution = error.solution or REMEDIES.get(code) or (known.remedy if known else "")
        body = {"error_msg": error.message, "error_code": code, "error_solution": solution}
        return Response(error.status or self.status_of(code) or 500, body, error.headers)


def _complete_job(body: Any, ids: Mapping[str, str]) -> None:
    """Replace the id of an algorithm, `@<file name>`; raises ServiceError (2755) if there is no such file."""
    algorithm = body.get("algorithm") or {}
    reference = algorithm.get("id") or ""
    if reference.startswith("@"):
        if reference not in ids:
            known = ", ".join(ids) or "none"
            raise ServiceError("ModelArts.2755", f"{reference} is not an algorithm of the seeds, which are: {known}")
        algorithm["id"] = ids[reference]


def _read_id(document: Any) -> str:
    return str(document["metadata"]["id"])


FIXTURES = (
    FixtureKind("algorithms", "createAlgorithm", _read_id),
    FixtureKind("training-jobs", "createTrainingJob", _read_id, _complete_job),
)

FAMILY = ApiFamily("v2", HANDLERS, V2Errors(), ALIASES, FIXTURES)

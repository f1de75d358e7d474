"""Searches for hyperparameters: algorithms, trials and their early stop, analyses, and templates in YAML."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection

from modelarts_emulator.engine import runs
from modelarts_emulator.engine.runs import Run, is_terminal
from modelarts_emulator.http.family import Call, Response
from modelarts_emulator.service import ModelArts
from modelarts_emulator.tuning import templates
from modelarts_emulator.tuning.policy import Policy
from modelarts_emulator.tuning.state import Trial, find_search, find_trials
from modelarts_emulator.tuning.views import analysis_view, reports_view, trials_view
from modelarts_emulator.v2.conventions import invalid
from modelarts_emulator.v2.jobs import JOBS, Job

LIMIT = 50  # trials per page: what the published example gets


def show_search_algorithms(service: ModelArts, _call: Call) -> Response:
    """All algorithms; page "Obtaining Supported Hyperparameter Search Algorithms"."""
    found = [dict(entry) for entry in service.catalogue.search_algorithms.values()]
    return Response(200, {"search_algo_count": len(found), "search_algo_list": found})


def show_auto_search_trials(service: ModelArts, call: Call) -> Response:
    """One page of the trials so far; of a job that searches nothing, an empty one."""
    limit, offset = call.query.get("limit", LIMIT), call.query.get("offset", 0)
    with service.database.reading() as connection:
        job = _job(connection, call)
        search, trials = find_search(connection, job.run.id), find_trials(connection, job.run.id)
        page = trials[offset : offset + limit]
        found = {run.id: run for run in runs.some(connection, [trial.run_id for trial in page])}
    items = trials_view(search.policy if search else None, page, found, service.now())
    common = {"limit": limit, "offset": offset, "group_by": ""}
    return Response(200, {"total": len(trials), "count": len(page), **common, "items": items})


def show_auto_search_per_trial(service: ModelArts, call: Call) -> Response:
    """What the trial has reported."""
    with service.database.reading() as connection:
        policy, trial, run = _trial(connection, _job(connection, call), call)
    return Response(200, reports_view(policy, trial, run, service.now()))


def stop_auto_search_trial(service: ModelArts, call: Call) -> Response:
    """Begin to stop the trial; only one that has not ended can be stopped."""
    with service.database.writing() as connection:
        _, trial, run = _trial(connection, _job(connection, call), call)
        if is_terminal(run.phase):
            raise invalid("trial_id", f"trial {trial.trial_id} has ended")
        if run.phase != "Terminating":
            service.supervisor.terminate(connection, run)
    service.supervisor.wake()
    return Response(200, {"earlystop_trial": trial.trial_id})


def show_auto_search_params_analysis(service: ModelArts, call: Call) -> Response:
    """How much each hyperparameter matters, once the search has ended; a table without rows before."""
    with service.database.reading() as connection:
        search = find_search(connection, _job(connection, call).run.id)
    return Response(200, analysis_view(search.analysis if search else None))


def show_auto_search_param_analysis_result_path(service: ModelArts, call: Call) -> Response:
    """Where the picture of a hyperparameter is."""
    name = call.path["parameter_name"]
    with service.database.reading() as connection:
        search = find_search(connection, _job(connection, call).run.id)
    analysis: dict[str, Any] = (search.analysis if search else None) or {}
    place = analysis.get(name, {}).get("picture")
    if place is None:
        raise invalid("parameter_name", f"{name[:64]} has no picture")
    return Response(200, {"file_path": place})


def show_auto_search_yaml_templates_info(_service: ModelArts, _call: Call) -> Response:
    """The templates by purpose."""
    return Response(200, {"yaml_templates": templates.overview()})


def show_auto_search_yaml_template_content(_service: ModelArts, call: Call) -> Response:
    """The text of a template."""
    purpose, name = call.path["algorithm_type"], call.path["algorithm_name"]
    content = templates.read(purpose, name)
    if content is None:
        raise invalid("algorithm_name", f"template {purpose[:64]}/{name[:64]} does not exist")
    return Response(200, {"file_name": f"{name}.yaml", "content": content})


def _job(connection: Connection, call: Call) -> Job:
    return JOBS.find(connection, call.project_id, call.path["training_job_id"])


def _trial(connection: Connection, job: Job, call: Call) -> tuple[Policy, Trial, Run]:
    """The policy, the trial that the path names, and its run; raises ServiceError (2788) if there is no such trial."""
    search, trial_id = find_search(connection, job.run.id), call.path["trial_id"]
    for trial in find_trials(connection, job.run.id) if search else ():
        if search and trial.trial_id == trial_id and (found := runs.some(connection, [trial.run_id])):
            return search.policy, trial, found[0]
    raise invalid("trial_id", f"the job has no trial {trial_id[:64]}")

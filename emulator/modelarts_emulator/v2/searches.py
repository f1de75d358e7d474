"""Searches for hyperparameters: algorithms, trials and their early stop, and analyses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from modelarts_emulator.engine import runs
from modelarts_emulator.engine.runs import Run, is_terminal
from modelarts_emulator.http.family import Call, Response
from modelarts_emulator.service import ModelArts
from modelarts_emulator.tuning.policy import Policy
from modelarts_emulator.tuning.state import Trial, find_search, find_trials, text_of
from modelarts_emulator.v2.conventions import invalid
from modelarts_emulator.v2.jobs import JOBS, Job

Table = dict[str, Any]  # of text: a header and rows
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
        found = {run.id: run for run in runs.by_ids(connection, [trial.run_id for trial in page])}
    items = _trials_view(search.policy if search else None, page, found, service.now())
    common = {"limit": limit, "offset": offset, "group_by": ""}
    return Response(200, {"total": len(trials), "count": len(page), **common, "items": items})


def show_auto_search_per_trial(service: ModelArts, call: Call) -> Response:
    """What the trial has reported."""
    with service.database.reading() as connection:
        policy, trial, run = _trial(connection, _job(connection, call), call)
    return Response(200, _reports_view(policy, trial, run, service.now()))


def stop_auto_search_trial(service: ModelArts, call: Call) -> Response:
    """Begin to stop the trial; only one that has not ended can be stopped."""
    with service.supervisor.changing(service.database) as connection:
        _, trial, run = _trial(connection, _job(connection, call), call)
        if is_terminal(run.phase):
            raise invalid("trial_id", f"trial {trial.trial_id} has ended")
        if run.phase != "Terminating":
            service.supervisor.terminate(connection, run)
    return Response(200, {"earlystop_trial": trial.trial_id})


def show_auto_search_params_analysis(service: ModelArts, call: Call) -> Response:
    """Mean and deviation of each hyperparameter's importance, once the search has ended; no rows before."""
    with service.database.reading() as connection:
        search = find_search(connection, _job(connection, call).run.id)
    importances = search.analysis.items() if search else ()
    rows = [[name, "/".join(f"{value:.4f}" for value in importance)] for name, importance in importances]
    return Response(200, {"header": ["parameters", "the mean/std of importance"], "data": rows})


def _job(connection: Connection, call: Call) -> Job:
    return JOBS.find(connection, call.project_id, call.path["training_job_id"])


def _trial(connection: Connection, job: Job, call: Call) -> tuple[Policy, Trial, Run]:
    """The policy, the trial that the path names, and its run; raises ServiceError (2788) if there is no such trial."""
    search, trial_id = find_search(connection, job.run.id), call.path["trial_id"]
    for trial in find_trials(connection, job.run.id) if search else ():
        if search and trial.trial_id == trial_id and (found := runs.by_ids(connection, [trial.run_id])):
            return search.policy, trial, found[0]
    raise invalid("trial_id", f"the job has no trial {trial_id[:64]}")


def _trials_view(policy: Policy | None, trials: Sequence[Trial], found: Mapping[str, Run], now: int) -> Table:
    """One row per trial, as the page "Querying All Trials Using Hyperparameter Search" prints them.

    `found` has the run of each by its id, `now` is in milliseconds.

    `pid` and `worker_index` are empty: the emulator has no such numbers.
    """
    metrics = [reward.name for reward in policy.rewards] if policy else []
    front = ["", "done", "pid", "config", "trial_id", "training_iteration", "time_total_s", "worker_index"]
    header = [*front, "reward_attr", "status", *metrics, "best_reward"]
    rows = [_trial_row(trial, _seconds(found.get(trial.run_id), now)) for trial in trials]
    return {"header": header, "data": rows}


def _reports_view(policy: Policy, trial: Trial, run: Run, now: int) -> Table:
    """One row per report of the trial, and one that says that it is done; cells as in the list, columns as printed."""
    metrics = [reward.name for reward in policy.rewards]
    front = ["done", "pid", "best_reward", "time_total_s", "config"]
    header = [*front, *metrics, "trial_id", "training_iteration", "reward_attr"]
    first = trial.iterations - len(trial.reports) + 1
    rows = [_report_row(trial, False, report, first + count) for count, report in enumerate(trial.reports)]
    if trial.is_done:
        last = [_seconds(run, now), trial.best, *trial.latest]
        rows.append(_report_row(trial, True, last, trial.iterations))
    return {"header": header, "data": rows}


def _trial_row(trial: Trial, seconds: float) -> list[Any]:
    values = [value or "" for value in trial.latest]
    front = [str(trial.number), str(trial.is_done), "", _config(trial), trial.trial_id]
    return [*front, str(trial.iterations), str(seconds), "", values[0], trial.status, *values, trial.best]


def _report_row(trial: Trial, is_done: bool, report: Sequence[Any], iteration: int) -> list[Any]:
    elapsed, best, *values = report
    shown = [value or "" for value in values]
    return [
        str(is_done), "", best, str(elapsed), _config(trial), *shown, trial.trial_id, str(iteration), shown[0],
    ]  # fmt: skip


def _config(trial: Trial) -> dict[str, Any]:
    values = {name: int(text) if (text := text_of(value)).lstrip("-").isdigit() else value
              for name, value in trial.config.items()}  # fmt: skip
    return {**values, "trial_index": trial.number, **{f"param/{name}": value for name, value in values.items()}}


def _seconds(run: Run | None, now: int) -> float:
    return max((run.end_time or now) - run.start_time, 0) / 1000 if run and run.start_time else 0.0

"""Trials and analyses in the form of the service's responses: tables whose cells are text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from modelarts_emulator.engine.runs import Run
from modelarts_emulator.tuning.policy import Policy
from modelarts_emulator.tuning.state import Trial, text_of

Table = dict[str, Any]


def trials_view(policy: Policy | None, trials: Sequence[Trial], runs: Mapping[str, Run], now: int) -> Table:
    """One row per trial, as the page "Querying All Trials Using Hyperparameter Search" prints them.

    `runs` has the run of each by its id, `now` is in milliseconds.

    `pid` and `worker_index` are empty: the emulator has no such numbers.
    """
    metrics = [reward.name for reward in policy.rewards] if policy else []
    front = ["", "done", "pid", "config", "trial_id", "training_iteration", "time_total_s", "worker_index"]
    header = [*front, "reward_attr", "status", *metrics, "best_reward"]
    return {
        "header": header,
        "data": [_row(trial, _seconds(runs.get(trial.run_id), now)) for trial in trials] if policy else [],
    }


def reports_view(policy: Policy, trial: Trial, run: Run, now: int) -> Table:
    """One row per report of the trial, and one that says that it is done; cells as in the list, columns as printed."""
    metrics = [reward.name for reward in policy.rewards]
    front = ["done", "pid", "best_reward", "time_total_s", "config"]
    header = [*front, *metrics, "trial_id", "training_iteration", "reward_attr"]
    first = trial.iterations - len(trial.reports) + 1
    rows = [_report(trial, False, report, first + count) for count, report in enumerate(trial.reports)]
    if trial.is_done:
        last = [_seconds(run, now), trial.best, *trial.latest]
        rows.append(_report(trial, True, last, trial.iterations))
    return {"header": header, "data": rows}


def analysis_view(analysis: Mapping[str, Any] | None) -> Table:
    """Mean and standard deviation of every hyperparameter's importance; no rows before there is an analysis."""
    rows = [[name, "/".join(f"{value:.4f}" for value in part["importance"])] for name, part in (analysis or {}).items()]
    return {"header": ["parameters", "the mean/std of importance"], "data": rows}


def _row(trial: Trial, seconds: float) -> list[Any]:
    values = [value or "" for value in trial.latest]
    return [
        str(trial.number),
        str(trial.is_done),
        "",
        _config(trial),
        trial.trial_id,
        str(trial.iterations),
        str(seconds),
        "",
        values[0],
        trial.status,
        *values,
        trial.best,
    ]


def _report(trial: Trial, is_done: bool, report: Sequence[Any], iteration: int) -> list[Any]:
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

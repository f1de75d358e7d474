"""The advisor: a process beside the emulator for work that needs large libraries or may never end.

It proposes values for trials, analyses results and draws them, and applies the users' regular expressions to logs. It
keeps no state: every request has all that it needs, so that the process can be ended and started again at any time.
Requests are lines of JSON on standard input, responses lines of JSON on standard output.

Proposals are made by maintained libraries from nothing but the settings and what came before: bayes_opt_search is the
Gaussian process of bayesian-optimization; tpe_search and anneal_search are those of hyperopt, whose parameters the
service's settings repeat. All work on the unit cube, so that hyperparameters of different magnitude count alike. Equal
requests get equal responses.
"""

from __future__ import annotations

import base64
import io
import json
import os
import re
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

Point = list[float]
Dimension = Mapping[str, Any]

IDLE_S = 60  # without a request after which the process ends; it is started again when needed
# Seconds of processor time after which a question ends the process: a regular expression can take for ever, and
# nothing inside the process could interrupt it.
CPU_LIMITS_S = {"match": 1, "suggest": 60, "analyse": 120}
CHUNK = 1 << 20
MAX_LINE = 8192
MAX_VALUE = 256
MIN_RESULTS = 4  # without which there is nothing to analyse
TREES = 32
RANDOM_STARTS = 5  # points of bayes_opt_search before its model counts


def main() -> None:
    """Respond until standard input ends or nobody asks any more."""
    responses = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print must not mix with responses
    for line in sys.stdin.buffer:
        signal.alarm(0)
        request = json.loads(line)
        signal.setitimer(signal.ITIMER_VIRTUAL, CPU_LIMITS_S.get(request["do"], 1))
        try:
            response: dict[str, Any] = {"result": _result(request)}
        except Exception as error:
            response = {"error": f"{type(error).__name__}: {error}"}
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        responses.write(json.dumps(response).encode() + b"\n")
        responses.flush()
        signal.alarm(IDLE_S)


def _result(request: dict[str, Any]) -> Any:
    functions: dict[str, Callable[..., Any]] = {"match": match, "suggest": suggest, "analyse": analyse}
    return functions[request.pop("do")](**request)


def match(path: str, offset: int, regexes: list[str], is_complete: bool) -> dict[str, Any]:
    """The metrics in the next megabyte of whole lines: `offset` behind it, and one row per line with a match.

    A row has one value per regular expression, None where it does not match; the last match in the line counts, of it
    the first group if there is one. The last line counts without its end only if the log `is_complete`.
    """
    try:
        with Path(path).open("rb") as stream:
            stream.seek(offset)
            data = stream.read(CHUNK)
            is_all = len(data) < CHUNK or not stream.read(1)
    except FileNotFoundError:
        return {"offset": offset, "rows": [], "is_all": True}
    end = data.rfind(b"\n") + 1
    if (is_complete and is_all) or (not end and len(data) == CHUNK):
        end = len(data)
    patterns = [re.compile(regex) for regex in regexes]
    rows = [_row(line, patterns) for line in data[:end].splitlines()]
    return {"offset": offset + end, "rows": [row for row in rows if any(row)], "is_all": is_all}


def _row(line: bytes, patterns: list[re.Pattern[str]]) -> list[str | None]:
    text = line[:MAX_LINE].decode("utf-8", "replace")
    return [_last(pattern, text) for pattern in patterns]


def _last(pattern: re.Pattern[str], text: str) -> str | None:
    values = [found.group(1 if pattern.groups else 0) for found in pattern.finditer(text)]
    return (values[-1] or "")[:MAX_VALUE] or None if values else None


def suggest(
    algorithm: str,
    settings: Mapping[str, Any],
    space: Sequence[Dimension],
    mode: str,
    index: int,
    history: Sequence[Mapping[str, Any]],
) -> dict[str, float]:
    """The values of trial number `index`; `history` has `config` and `reward` (None without one) of those before it."""
    import numpy as np  # like the other libraries: loading it takes long, and to match lines needs none of them

    sign = 1.0 if mode == "max" else -1.0
    known = [([_unit(d, trial["config"][d["name"]]) for d in space], trial) for trial in history]
    scored = [(point, sign * trial["reward"]) for point, trial in known if trial["reward"] is not None]
    seed = int(np.random.SeedSequence([int(settings["seed"]), index]).generate_state(1)[0])
    if algorithm == "bayes_opt_search":
        # A trial that failed, or has not ended, is taken for a bad one, so that its neighbourhood is left for now.
        worst = min((score for _, score in scored), default=0.0)
        others = [(point, worst) for point, trial in known if trial["reward"] is None] if scored else []
        point = _bayes(settings, space, scored + others, seed, index)
    else:
        point = _hyperopt(algorithm, settings, space, scored, seed)
    return {d["name"]: _value(d, x) for d, x in zip(space, point, strict=True)}


def _bayes(
    settings: Mapping[str, Any], space: Sequence[Dimension], scored: list[tuple[Point, float]], seed: int, index: int
) -> Point:
    import numpy as np

    if index < RANDOM_STARTS or not scored:
        return [float(x) for x in np.random.default_rng(seed).random(len(space))]
    from bayes_opt import BayesianOptimization, acquisition  # takes seconds, and the first trials need not wait for it

    functions: dict[str, Any] = {
        "ucb": lambda: acquisition.UpperConfidenceBound(kappa=settings["kappa"]),
        "ei": lambda: acquisition.ExpectedImprovement(xi=settings["xi"]),
        "poi": lambda: acquisition.ProbabilityOfImprovement(xi=settings["xi"]),
    }
    names = [f"{number:03}" for number in range(len(space))]
    optimizer = BayesianOptimization(
        f=None,
        pbounds=dict.fromkeys(names, (0.0, 1.0)),
        acquisition_function=functions[settings["kind"]](),
        random_state=seed % 2**31,
        verbose=0,
        allow_duplicate_points=True,
    )
    # Scores are put on one scale, as kappa and xi suppose.
    scores = np.array([score for _, score in scored])
    scale = float(np.std(scores)) or 1.0
    for (point, _), score in zip(scored, (scores - float(np.mean(scores))) / scale, strict=True):
        optimizer.register(dict(zip(names, point, strict=True)), float(score))
    found = optimizer.suggest()
    return [float(found[name]) for name in names]


def _hyperopt(
    algorithm: str,
    settings: Mapping[str, Any],
    space: Sequence[Dimension],
    scored: list[tuple[Point, float]],
    seed: int,
) -> Point:
    from hyperopt import Trials, anneal, hp, tpe  # type: ignore[import-untyped]
    from hyperopt.base import JOB_STATE_DONE, STATUS_OK, Domain  # type: ignore[import-untyped]

    names = [f"{number:03}" for number in range(len(space))]
    domain = Domain(None, {name: hp.uniform(name, 0.0, 1.0) for name in names})
    ids = list(range(len(scored)))
    results = [{"status": STATUS_OK, "loss": -score} for _, score in scored]
    miscs = [
        {
            "tid": tid,
            "cmd": domain.cmd,
            "workdir": None,
            "idxs": {name: [tid] for name in names},
            "vals": {name: [value] for name, value in zip(names, point, strict=True)},
        }
        for tid, (point, _) in zip(ids, scored, strict=True)
    ]
    trials = Trials()
    documents = trials.new_trial_docs(ids, [None] * len(ids), results, miscs)
    for document in documents:
        document["state"] = JOB_STATE_DONE
    trials.insert_trial_docs(documents)
    trials.refresh()
    number = [len(scored)]
    if algorithm == "tpe_search":
        startups, gamma = int(settings["n_initial_points"]), settings["gamma"]
        (found,) = tpe.suggest(number, domain, trials, seed, n_startup_jobs=startups, gamma=gamma, verbose=False)
    elif algorithm == "anneal_search":
        best, shrink = settings["avg_best_idx"], settings["shrink_coef"]
        (found,) = anneal.suggest(number, domain, trials, seed, avg_best_idx=best, shrink_coef=shrink)
    else:
        raise ValueError(f"unknown search algorithm {algorithm}")
    return [float(found["misc"]["vals"][name][0]) for name in names]


def _unit(dimension: Dimension, value: float) -> float:
    """Where the value lies between 0 and 1; the values of a list lie in the middle of sections of equal size."""
    if values := dimension["values"]:
        return float((values.index(value) + 0.5) / len(values))
    return float((value - dimension["low"]) / (dimension["high"] - dimension["low"]))


def _value(dimension: Dimension, unit: float) -> float:
    if values := dimension["values"]:
        return float(values[min(max(int(unit * len(values)), 0), len(values) - 1)])
    value = dimension["low"] + unit * (dimension["high"] - dimension["low"])
    return float(min(max(value, dimension["low"]), dimension["high"]))


def analyse(
    space: Sequence[Mapping[str, Any]], reward: str, mode: str, results: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """By hyperparameter: `importance`, the mean and the standard deviation over trees, and `picture`, a PNG in base64.

    `results` has `config` and `reward` of trials; nothing comes of fewer than four different ones.
    """
    if len({result["reward"] for result in results}) < 2 or len(results) < MIN_RESULTS:
        return {}
    importances = _importances(space, mode, results)
    return {
        dimension["name"]: {
            "importance": importances[dimension["name"]],
            "picture": _picture(dimension["name"], reward, results),
        }
        for dimension in space
    }


def _importances(
    space: Sequence[Mapping[str, Any]], mode: str, results: Sequence[Mapping[str, Any]]
) -> dict[str, list[float]]:
    """fANOVA, one tree at a time: each tree says for how much of the variance a hyperparameter alone accounts."""
    import numpy as np
    import optuna
    from optuna.distributions import BaseDistribution, FloatDistribution
    from optuna.importance import FanovaImportanceEvaluator

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(direction="maximize" if mode == "max" else "minimize")
    distributions: dict[str, BaseDistribution] = {
        d["name"]: FloatDistribution(d["low"], d["high"]) for d in space if d["low"] < d["high"]
    }
    scale = max(abs(float(result["reward"])) for result in results)  # their squares must be numbers, too
    for result in results:
        config = {name: result["config"][name] for name in distributions}
        value = float(result["reward"]) / scale
        study.add_trial(optuna.trial.create_trial(params=config, distributions=distributions, value=value))
    shares: dict[str, list[float]] = {dimension["name"]: [] for dimension in space}
    for seed in range(TREES):
        try:
            found = FanovaImportanceEvaluator(n_trees=1, seed=seed).evaluate(study) if distributions else {}
        except RuntimeError:  # all results that this tree was given are equal
            found = {}
        for name, of_trees in shares.items():
            value = float(found.get(name, 0.0))
            of_trees.append(value if np.isfinite(value) else 0.0)
    return {name: [float(np.mean(values)), float(np.std(values))] for name, values in shares.items()}


def _picture(name: str, reward: str, results: Sequence[Mapping[str, Any]]) -> str:
    """The trials' rewards by the hyperparameter's value, as a PNG in base64."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.scatter([result["config"][name] for result in results], [result["reward"] for result in results])
    axes.set_xlabel(name)
    axes.set_ylabel(reward)
    image = io.BytesIO()
    figure.savefig(image, format="png")
    return base64.b64encode(image.getvalue()).decode()


if __name__ == "__main__":
    main()

"""Proposals for the next trial, made by maintained libraries from nothing but the settings and what came before.

bayes_opt_search is the Gaussian process of bayesian-optimization; tpe_search and anneal_search are those of hyperopt,
whose parameters the service's settings repeat. All work on the unit cube, so that hyperparameters of different
magnitude count alike. Equal requests get equal responses.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

__all__ = ["suggest"]

Point = list[float]
Dimension = Mapping[str, Any]

RANDOM_STARTS = 5  # points of bayes_opt_search before its model counts
MOST_COMBINATIONS = 10_000


def suggest(
    algorithm: str,
    settings: Mapping[str, Any],
    space: Sequence[Dimension],
    mode: str,
    index: int,
    history: Sequence[Mapping[str, Any]],
) -> dict[str, float]:
    """The values of trial number `index`; `history` has `config` and `reward` (None without one) of those before it."""
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
    tried = {tuple(_value(d, x) for d, x in zip(space, point, strict=True)) for point, _ in known}
    return _untried(space, point, tried)


def _bayes(
    settings: Mapping[str, Any], space: Sequence[Dimension], scored: list[tuple[Point, float]], seed: int, index: int
) -> Point:
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


def _untried(space: Sequence[Dimension], point: Point, tried: set[tuple[float, ...]]) -> dict[str, float]:
    """The values at the point; of lists only, and if they were tried, those untried that are nearest to them."""
    names = [dimension["name"] for dimension in space]
    chosen = tuple(_value(dimension, x) for dimension, x in zip(space, point, strict=True))
    lists = [dimension["values"] for dimension in space]
    if chosen in tried and all(lists) and math.prod(map(len, lists)) <= MOST_COMBINATIONS:
        left = [values for values in itertools.product(*lists) if values not in tried]

        def distance(values: tuple[float, ...]) -> float:
            return math.dist([_unit(d, value) for d, value in zip(space, values, strict=True)], point)

        chosen = min(left, key=distance, default=chosen)
    return dict(zip(names, chosen, strict=True))

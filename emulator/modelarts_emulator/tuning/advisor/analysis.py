"""What a search has learned: how much each hyperparameter matters, in numbers and as a picture."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["FEWEST", "analyse"]

FEWEST = 4  # results without which there is nothing to analyse
TREES = 32
STEPS = 64


def analyse(
    space: Sequence[Mapping[str, Any]], reward: str, mode: str, results: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """By hyperparameter: `importance`, the mean and the standard deviation over trees, and `picture`, a PNG in base64.

    `results` has `config` and `reward` of trials; nothing comes of fewer than four different ones.
    """
    if len({result["reward"] for result in results}) < 2 or len(results) < FEWEST:
        return {}
    importances = _importances(space, mode, results)
    return {
        dimension["name"]: {
            "importance": importances[dimension["name"]],
            "picture": _picture(space, dimension["name"], reward, results),
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


def _picture(space: Sequence[Mapping[str, Any]], name: str, reward: str, results: Sequence[Mapping[str, Any]]) -> str:
    """The trials' rewards by the hyperparameter's value, and what a forest expects when this value alone changes."""
    import numpy as np
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from sklearn.ensemble import RandomForestRegressor  # type: ignore[import-untyped]

    names = [dimension["name"] for dimension in space]
    points = np.array([[result["config"][name] for name in names] for result in results], dtype=float)
    rewards = np.array([result["reward"] for result in results], dtype=float)
    scale = np.abs(rewards).max()
    forest = RandomForestRegressor(n_estimators=TREES, random_state=0).fit(points, rewards / scale)
    column = names.index(name)
    dimension = space[column]
    steps = np.array(dimension["values"] or np.linspace(dimension["low"], dimension["high"], STEPS), dtype=float)
    grid = np.repeat(points[None], len(steps), axis=0)
    grid[:, :, column] = steps[:, None]
    expected = np.array(
        [tree.predict(grid.reshape(-1, len(names))).reshape(len(steps), -1).mean(axis=1) for tree in forest.estimators_]
    )
    mean, spread = expected.mean(axis=0) * scale, expected.std(axis=0) * scale
    figure = Figure(figsize=(6, 4), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.fill_between(steps, mean - spread, mean + spread, alpha=0.25, label="standard deviation")
    axes.plot(steps, mean, label="expected")
    axes.scatter(points[:, column], rewards, color="black", s=16, label="trials")
    axes.set_xlabel(name)
    axes.set_ylabel(reward)
    axes.legend()
    image = io.BytesIO()
    figure.savefig(image, format="png")
    return base64.b64encode(image.getvalue()).decode()

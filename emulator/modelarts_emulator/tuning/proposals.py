"""Proposes values for trials, and says how much each hyperparameter matters, with Optuna's samplers and evaluators.

Everything follows from the settings of a search and what its trials found, so equal searches are equal.
All algorithms are Optuna's tree-structured Parzen estimator: `tpe_search` as it is, `bayes_opt_search` with one model
of all hyperparameters together, and `anneal_search` as random steps from the best trials, which become shorter.
Of the service's settings, `num_samples`, `seed` and `n_initial_points` have an effect; the others are only checked.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from modelarts_emulator.tuning.policy import Dimension, Policy
from modelarts_emulator.tuning.state import Trial

if TYPE_CHECKING:
    from optuna.samplers import BaseSampler
    from optuna.study import Study
    from optuna.trial import FrozenTrial

MIN_RESULTS = 4  # without which there is nothing to analyse
RANDOM_STARTS = 5  # trials of bayes_opt_search before its model counts
MAX_STUDIES = 160  # of one hyperparameter each, which take a fifth of a second
BEST_SHARE = 0.25  # of the trials: the best ones, whose values show which hyperparameters matter


def propose(policy: Policy, trials: Sequence[Trial], known: int) -> dict[str, float]:
    """The values of the next trial, from what the first `known` trials found; the others are only known to run."""
    import optuna

    sampler = _sampler(policy, seed=int(policy.settings["seed"]) * 1000 + len(trials))
    study = _study(policy, sampler)
    for trial in trials:
        result = trial.result if trial.number < known else None
        study.add_trial(_frozen(policy, trial, result))
    asked = study.ask({dimension.name: optuna.distributions.FloatDistribution(0, 1) for dimension in policy.space})
    return {dimension.name: _value(dimension, asked.params[dimension.name]) for dimension in policy.space}


def _sampler(policy: Policy, seed: int) -> BaseSampler:
    from optuna.samplers import TPESampler

    settings = policy.settings
    options: dict[str, Any] = {"seed": seed % 2**31}
    if policy.algorithm == "bayes_opt_search":
        return TPESampler(**options, n_startup_trials=RANDOM_STARTS, multivariate=True, constant_liar=True)
    if policy.algorithm == "tpe_search":
        return TPESampler(**options, n_startup_trials=int(settings["n_initial_points"]))
    return TPESampler(**options, n_startup_trials=1, n_ei_candidates=1)


def _study(policy: Policy, sampler: BaseSampler | None = None) -> Study:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    directions = optuna.study.StudyDirection
    direction = directions.MAXIMIZE if policy.rewards[0].mode == "max" else directions.MINIMIZE
    return optuna.create_study(direction=direction, sampler=sampler)


def _frozen(policy: Policy, trial: Trial, result: float | None) -> FrozenTrial:
    """The trial as Optuna knows it, in the unit cube; one without a result still runs, or has failed."""
    import optuna

    state = optuna.trial.TrialState.RUNNING if result is None else optuna.trial.TrialState.COMPLETE
    return optuna.trial.create_trial(
        state=state,
        value=result,
        params={dimension.name: _unit(dimension, trial.config[dimension.name]) for dimension in policy.space},
        distributions={dimension.name: optuna.distributions.FloatDistribution(0, 1) for dimension in policy.space},
    )


def _unit(dimension: Dimension, value: float) -> float:
    """Where the value lies between 0 and 1; the values of a list lie in the middle of sections of equal size."""
    if values := dimension.values:
        return (values.index(value) + 0.5) / len(values)
    return min(max((value - dimension.low) / (dimension.high - dimension.low), 0.0), 1.0)


def _value(dimension: Dimension, unit: float) -> float:
    if values := dimension.values:
        return values[min(int(unit * len(values)), len(values) - 1)]
    return min(max(dimension.low + unit * (dimension.high - dimension.low), dimension.low), dimension.high)


def importances(policy: Policy, trials: Sequence[Trial]) -> dict[str, list[float]]:
    """Mean and standard deviation of each hyperparameter's share of the results, over all but one trial each.

    With many hyperparameters, fewer trials are left out, so that this takes no longer.
    Empty with fewer than four results, or if all are equal.
    """
    from optuna.importance import PedAnovaImportanceEvaluator, get_param_importances

    found = [(trial, result) for trial in trials if (result := trial.result) is not None]
    if len(found) < MIN_RESULTS or len({result for _, result in found}) < 2:
        return {}
    evaluator = PedAnovaImportanceEvaluator(target_quantile=BEST_SHARE)
    shares: dict[str, list[float]] = {dimension.name: [] for dimension in policy.space}
    for left_out in range(min(len(found), max(MAX_STUDIES // len(shares), MIN_RESULTS))):
        study = _study(policy)
        study.add_trials([_frozen(policy, *pair) for index, pair in enumerate(found) if index != left_out])
        values = get_param_importances(study, evaluator=evaluator)
        for name, of_studies in shares.items():
            value = values.get(name, 0.0)
            of_studies.append(value if math.isfinite(value) else 0.0)
    return {name: [statistics.fmean(values), statistics.pstdev(values)] for name, values in shares.items()}

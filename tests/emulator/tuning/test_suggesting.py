"""Proposals: every algorithm looks where results are good, and says the same when asked the same."""

from __future__ import annotations

import random
from collections.abc import Iterator
from statistics import fmean
from typing import Any

import pytest
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from modelarts_emulator.tuning.advisor.suggestion import suggest

SPACE: list[dict[str, Any]] = [
    {"name": "lr", "low": 0.0001, "high": 0.1, "values": []},
    {"name": "width", "low": -5.0, "high": 5.0, "values": []},
]
SETTINGS: dict[str, dict[str, Any]] = {
    "bayes_opt_search": {"kind": "ucb", "kappa": 2.5, "xi": 0.0},
    "tpe_search": {"gamma": 0.25, "n_initial_points": 8},
    "anneal_search": {"avg_best_idx": 2.0, "shrink_coef": 0.1},
}
SAMPLES = 20


def loss(config: dict[str, float]) -> float:
    """Has its minimum, 0, at lr 0.03 and width 2."""
    return ((config["lr"] - 0.03) / 0.03) ** 2 + (config["width"] - 2) ** 2 / 10


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """As in the advisor: several threads only hinder each other over so few numbers."""
    with threadpool_limits(1):
        yield


def search(
    algorithm: str, seed: int, mode: str = "min", samples: int = SAMPLES, **settings: Any
) -> list[dict[str, Any]]:
    given = {**SETTINGS[algorithm], "num_samples": SAMPLES, "seed": seed, **settings}
    history: list[dict[str, Any]] = []
    for index in range(samples):
        config = suggest(algorithm, given, SPACE, mode, index, history)
        reward = loss(config) if mode == "min" else -loss(config)
        history.append({"config": config, "reward": reward})
    return history


def best_at_random(seed: int) -> float:
    numbers = random.Random(seed)
    points = ({d["name"]: numbers.uniform(d["low"], d["high"]) for d in SPACE} for _ in range(SAMPLES))
    return min(map(loss, points))


@pytest.mark.parametrize("algorithm", SETTINGS)
def test_a_search_finds_a_minimum_far_better_than_chance(algorithm: str) -> None:
    """Over some seeds the best loss is on average less than half of what chance finds."""
    seeds, samples = (range(1), 14) if algorithm == "bayes_opt_search" else (range(10), SAMPLES)
    found = fmean(min(trial["reward"] for trial in search(algorithm, seed, samples=samples)) for seed in seeds)

    assert found < fmean(map(best_at_random, range(200))) / 2


def test_the_kind_of_acquisition_decides_where_a_process_looks() -> None:
    history = search("bayes_opt_search", 1, samples=5)
    settings = {**SETTINGS["bayes_opt_search"], "seed": 1}

    found = {
        kind: suggest("bayes_opt_search", settings | {"kind": kind}, SPACE, "min", 5, history)["width"]
        for kind in ("ucb", "ei", "poi")
    }

    assert found["poi"] not in (found["ucb"], found["ei"])


@pytest.mark.parametrize("algorithm", ["tpe_search", "anneal_search"])
def test_to_look_for_the_largest_value_is_to_look_for_the_smallest_of_its_opposite(algorithm: str) -> None:
    smallest, largest = search(algorithm, 4, "min"), search(algorithm, 4, "max")

    assert [trial["config"] for trial in smallest] == [trial["config"] for trial in largest]


@pytest.mark.parametrize("algorithm", SETTINGS)
def test_equal_requests_get_equal_suggestions_and_other_seeds_other_ones(algorithm: str) -> None:
    history = search(algorithm, 1, samples=7)

    def response(seed: int) -> dict[str, float]:
        return suggest(algorithm, {**SETTINGS[algorithm], "seed": seed}, SPACE, "min", 7, history)

    assert response(1) == response(1)
    assert response(1) != response(2)


@pytest.mark.parametrize("algorithm", SETTINGS)
def test_trials_without_a_result_do_not_stop_a_search(algorithm: str) -> None:
    failed: list[dict[str, Any]] = [
        {"config": {"lr": 0.05, "width": float(number)}, "reward": None} for number in range(-3, 4)
    ]
    settings = {**SETTINGS[algorithm], "seed": 1}

    for history in (failed, [*failed, {"config": {"lr": 0.01, "width": 4.0}, "reward": 1.0}]):
        config = suggest(algorithm, settings, SPACE, "min", len(history), history)
        assert all(d["low"] <= config[d["name"]] <= d["high"] for d in SPACE)


@pytest.mark.parametrize("algorithm", SETTINGS)
def test_values_of_a_list_are_all_tried_before_any_is_repeated(algorithm: str) -> None:
    space = [{"name": "batch_size", "low": 16.0, "high": 256.0, "values": [16.0, 32.0, 64.0, 128.0, 256.0]}]
    history: list[dict[str, Any]] = []
    for index in range(6):
        config = suggest(algorithm, {**SETTINGS[algorithm], "seed": 1}, space, "max", index, history)
        history.append({"config": config, "reward": -abs(config["batch_size"] - 64)})

    assert {trial["config"]["batch_size"] for trial in history[:5]} == {16.0, 32.0, 64.0, 128.0, 256.0}

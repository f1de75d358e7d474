"""The advisor: proposals, metrics in logs and analyses, and the process in which it does its work."""

from __future__ import annotations

import base64
import random
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from modelarts_emulator.tuning.advisor import analyse, match, suggest

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


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "task.log"


def test_the_last_match_of_a_line_counts_by_its_group_or_as_a_whole(log: Path) -> None:
    log.write_bytes(b"acc=0.1 acc=0.2\nnothing\nloss 3 at 10.0\n")

    found = match(str(log), 0, [r"acc=(\S+)", r"\d+\.\d"], False)

    assert found == {"offset": 39, "rows": [["0.2", "0.2"], [None, "10.0"]], "is_all": True}


def test_a_line_counts_when_it_is_whole_or_the_log_has_ended(log: Path) -> None:
    log.write_bytes(b"acc=0.1\nacc=0.2")

    assert match(str(log), 0, [r"acc=(\S+)"], False) == {"offset": 8, "rows": [["0.1"]], "is_all": True}
    assert match(str(log), 8, [r"acc=(\S+)"], True) == {"offset": 15, "rows": [["0.2"]], "is_all": True}


def test_a_log_that_is_not_there_yet_or_is_not_text_is_read_nonetheless(log: Path) -> None:
    assert match(str(log), 0, ["x"], True) == {"offset": 0, "rows": [], "is_all": True}
    log.write_bytes(b"\xff\xfe acc=1 \xff\n")
    assert match(str(log), 0, [r"acc=(\S+)"], False)["rows"] == [["1"]]


def test_a_long_log_is_read_in_parts_that_are_whole_lines(log: Path) -> None:
    log.write_bytes(b"acc=1\n" * 200_000)

    offset, count = 0, 0
    while offset < log.stat().st_size:
        part = match(str(log), offset, [r"acc=(\d)"], True)
        offset, count = part["offset"], count + len(part["rows"])

    assert count == 200_000


LAYERS = [
    {"name": "lr", "low": 0.0, "high": 1.0, "values": []},
    {"name": "size", "low": 16.0, "high": 32.0, "values": [16.0, 32.0]},
]


def results(*rewards: float) -> list[dict[str, Any]]:
    """Trials whose `lr` grows from one to the next."""
    return [
        {"config": {"lr": number / len(rewards), "size": (16.0, 32.0)[number % 2]}, "reward": reward}
        for number, reward in enumerate(rewards)
    ]


def test_what_the_results_depend_on_is_important() -> None:
    found = analyse(LAYERS, "accuracy", "max", results(*(number / 10 for number in range(10))))

    assert found["lr"]["importance"][0] > 0.8 > found["size"]["importance"][0]
    assert all(base64.b64decode(part["picture"]).startswith(b"\x89PNG") for part in found.values())


@pytest.mark.parametrize("rewards", [(1, 2, 3), (1, 1, 1, 1, 1)])
def test_few_or_equal_results_tell_nothing(rewards: tuple[float, ...]) -> None:
    assert analyse(LAYERS, "accuracy", "max", results(*rewards)) == {}

"""The analysis of a search, from whatever results its trials have."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from modelarts_emulator.tuning.advisor.analysis import analyse

SPACE = [
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
    found = analyse(SPACE, "accuracy", "max", results(*(number / 10 for number in range(10))))

    assert found["lr"]["importance"][0] > 0.8 > found["size"]["importance"][0]
    assert all(base64.b64decode(part["picture"]).startswith(b"\x89PNG") for part in found.values())


def test_results_that_are_nearly_all_equal_can_be_analysed() -> None:
    """Some of the trees then see no difference at all."""
    found = analyse(SPACE, "accuracy", "max", results(*[0.5] * 9, 0.6))

    mean, deviation = found["lr"]["importance"]
    assert 0 < mean < 1
    assert deviation > 0


def test_the_size_of_the_results_does_not_matter() -> None:
    small, large = (
        analyse(SPACE, "accuracy", "max", results(*(number * size for number in range(5)))) for size in (1.0, 2.0**600)
    )

    assert small["lr"]["importance"] == pytest.approx(large["lr"]["importance"])


@pytest.mark.parametrize("rewards", [(1, 2, 3), (1, 1, 1, 1, 1)])
def test_few_or_equal_results_tell_nothing(rewards: tuple[float, ...]) -> None:
    assert analyse(SPACE, "accuracy", "max", results(*rewards)) == {}

"""Policies: what a search wants more of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from modelarts_emulator.settings import catalogue
from modelarts_emulator.tuning.policy import read_policy


@pytest.mark.parametrize(("mode", "best"), [("max", "9"), ("min", "-2")])
def test_the_better_of_two_rewards_is_a_number_and_the_first_of_equal_ones(
    policy: Callable[..., Any], mode: str, best: str
) -> None:
    reward = {"name": "accuracy", "mode": mode, "regex": "x"}
    read = read_policy(policy(reward_attrs=[reward]), catalogue.load().search_algorithms)
    found = ""
    for value in ("tensor(3)", "nan", "1", "9", "inf", "-2", "9.0", "-2.0"):
        found = read.better(found, value)

    assert found == best

"""Jobs beside each other: which value is the best, and what is the same."""

import math
from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from modelarts_toolkit.jobs.comparison import best_places

VALUES = st.lists(st.none() | st.just("nan") | st.floats(1.5, 4, width=16), min_size=2, max_size=10)


@example([0.5, None, 0.5, 0.7])
@example([2.0, 2.0, "nan"])
@given(VALUES)
def test_the_best_value_is_that_which_no_other_is_better_than(values: Sequence[float | str | None]) -> None:
    """All that are equal to it are best; turned round, the best of a loss is the worst of an accuracy."""
    numbers = [value for value in values if isinstance(value, float)]
    expected = {} if len({*numbers}) < 2 else {"val loss": min(numbers), "reward": max(numbers)}

    for name in ("val loss", "reward"):
        found = best_places(name, values)
        wanted = {place for place, value in enumerate(values) if name in expected and value == expected[name]}
        assert found == wanted, name
    assert best_places("val loss", values) == best_places("reward", [_turned(value) for value in values])


def _turned(value: float | str | None) -> float | str | None:
    return -value if isinstance(value, float) else value


@pytest.mark.parametrize(
    "name", ["lr", "learning_rate", "epoch time", "samples per second", "grad norm", "temperature"]
)
def test_of_rates_times_and_settings_none_is_the_best(name: str) -> None:
    assert best_places(name, [0.1, 0.2, 0.3]) == set()


def test_where_some_may_be_percentages_and_others_shares_of_one_none_is_the_best() -> None:
    """For a reward, which can be any number, there is no such doubt."""
    assert best_places("accuracy", [0.91, 88.0]) == set()
    assert best_places("val_acc", [0.91, 0.88]) == {0}
    assert best_places("val_acc", [91.0, 88.0, math.inf]) == {0}
    assert best_places("reward", [0.91, 88.0]) == {1}

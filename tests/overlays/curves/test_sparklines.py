"""Curves as bars of characters."""

import math

from modelarts_toolkit.curves.curves import Curve, Curves
from modelarts_toolkit.curves.sparklines import MOST_LINES, curve_lines, sparkline


def curve(name: str, *values: float) -> Curve:
    made = Curve(name)
    for value in values:
        made.add(value)
    return made


def test_a_chart_of_percentages_has_the_means_of_its_parts_and_gaps() -> None:
    assert sparkline([0, 50, math.nan, 100], 10, (0, 100)) == "▁▅·█"
    assert sparkline([1, 100, 3, 4], 2, (0, 100)) == "▅▁"


def test_few_lines_are_drawn_and_each_fits_the_terminal() -> None:
    curves = [curve("a_name_of_many_characters_" * 2, *range(1000)), *[curve("m", 1, 2)] * (MOST_LINES + 1)]

    lines = [*curve_lines(curves, 20)]

    assert (len(lines), lines[-1]) == (MOST_LINES + 1, "and 2 more curves")
    assert max(map(len, lines)) < 20
    assert [*curve_lines([], 80)] == []


def test_what_is_not_finite_is_a_gap_and_extremes_are_drawn() -> None:
    assert sparkline([0, math.nan, 7, math.inf], 10) == "▁·█·"
    assert sparkline([-1.7e308, 0, 1.7e308], 10) == "▁▅█"
    assert sparkline([3, 3], 10) == "▄▄"
    assert sparkline([0.1] * 2000, 60) == "▄" * 59
    assert sparkline([math.nan], 10) == "·"
    assert sparkline([*range(100)], 4) == "▁▃▆█"
    assert [*curve_lines([*Curves(["loss nan", "loss nan"]).found().values()], 80)] == ["loss  ··  nan → nan"]

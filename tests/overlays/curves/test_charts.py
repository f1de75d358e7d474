"""Curves as tables of numbers and as lines of SVG."""

from xml.etree import ElementTree

import pytest

from modelarts_toolkit.curves.charts import chart, curves_chart, own_charts
from modelarts_toolkit.curves.curves import MOST_VALUES, Curves


def test_a_curve_leaves_gaps_open() -> None:
    """What was not measured, and what is not a finite number."""
    drawn = chart("use", "minute", {"worker-0": [0, 50, None, 100], "worker-1": [float("nan"), 25]})

    assert drawn.lines() == [["0.00,100.00 33.33,50.00", "100.00,0.00"], ["33.33,75.00"]]
    assert drawn.limits == (0, 100)


def test_curves_of_jobs_share_the_epochs_that_their_lines_name() -> None:
    """Where one job names none, the values of all are counted; a gap and what was left out are said."""
    long = Curves(f"epoch {x} loss {x}" for x in range(1, 2 * MOST_VALUES + 1)).found()["loss"]
    short = Curves(["epoch 3: loss nan", "epoch 5: loss 0.5"]).found()["loss"]
    counted = Curves(["loss: 0.75", "loss: 0.5"]).found()["loss"]
    drawn, mixed = curves_chart("loss", {"long": long, "short": short}), curves_chart("", {"a": short, "b": counted})

    assert (drawn.x, drawn.rows[2], repr(drawn.rows[1])) == ("epoch", [5.0, 5.0, 0.5], "[3.0, 3.0, nan]")
    assert drawn.note == f"{MOST_VALUES + 2:,} of {2 * MOST_VALUES + 2:,} values are drawn. Gaps: 1 × nan or inf."
    assert (mixed.x, [row[0] for row in mixed.rows], [row[2] for row in mixed.rows]) == ("value", [1, 2], [0.75, 0.5])


@pytest.mark.parametrize("line", ["loss: 0.5", "loss: nan", "loss: inf"])
def test_a_curve_whose_values_are_the_same_or_not_finite_can_be_drawn(line: str) -> None:
    (drawn,) = own_charts(Curves([line, line]).found())

    for lines in drawn.lines():
        for points in lines:
            ElementTree.fromstring(f'<polyline points="{points}"/>')

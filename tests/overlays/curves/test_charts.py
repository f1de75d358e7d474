"""Curves as numbers for a script, tables, and lines of SVG."""

import math
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

import modelarts_toolkit.ui
from modelarts_toolkit.curves.charts import MOST_ROWS, chart, curves_chart, own_charts, usage_charts
from modelarts_toolkit.curves.curves import MOST_RESTARTS, MOST_VALUES, Curves

STATIC = Path(modelarts_toolkit.ui.__file__).parent / "static"
RUNS = st.lists(st.tuples(st.integers(1, 6), st.integers(1, 4)), min_size=1, max_size=MOST_RESTARTS + 1)
# How the colours of screens look to those without red, green or blue receptors (Machado, Oliveira, Fernandes 2009).
SIGHTS = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.01182, 0.04294, 0.968881)),
    "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.3039)),
}


def test_a_curve_leaves_gaps_open() -> None:
    """What was not measured, and what is not a finite number."""
    drawn = chart("use", "minute", {"worker-0": [0, 50, None, 100], "worker-1": [float("nan"), 25]})

    assert drawn.lines() == [["0.00,100.00 33.33,50.00", "100.00,0.00"], ["33.33,75.00"]]
    assert drawn.limits == (0, 100)


@given(runs=RUNS, steps=st.integers(1, 3), is_timed=st.booleans(), has_epoch=st.booleans())
def test_a_chart_offers_the_places_that_all_lines_name(
    runs: list[tuple[int, int]], steps: int, is_timed: bool, has_epoch: bool
) -> None:
    """Epoch, step and time are those that the log says; where they fall back, a new run begins."""
    epochs, restarts = list[int](), list[int]()
    for back, count in runs:
        if epochs:
            restarts.append(len(epochs))
        first = epochs[-1] - back if epochs else 50
        epochs += range(first, first + count)
    seconds = [7 * place for place in range(len(epochs))]
    log = [
        (f"2026-11-28 {10 + second // 3600}:{second // 60 % 60:02}:{second % 60:02},000 INFO " if is_timed else "")
        + (f"epoch {epoch} " if has_epoch else "")
        + f"step {epoch * steps} loss: {number / 8}"
        for number, (epoch, second) in enumerate(zip(epochs, seconds, strict=True))
    ]
    (drawn,) = own_charts(Curves(log).found())
    (series,) = drawn.series
    wanted = {"value": [*range(1, len(epochs) + 1)], "step": [epoch * steps for epoch in epochs]}
    wanted |= {"epoch": epochs} if has_epoch else {}
    wanted |= {"time": [second / 60 for second in seconds]} if is_timed else {}

    assert {name: [*map(float, x)] for name, x in series.axes.items()} == {
        name: [*map(float, x)] for name, x in wanted.items()
    }
    assert series.restarts == restarts
    assert [row[-1] for row in drawn.rows()] == [number / 8 for number in range(len(epochs))]
    assert sorted(drawn.axes) == sorted(wanted)


def test_what_begins_anew_in_each_epoch_is_no_restart_and_no_place() -> None:
    """Nor are epochs that begin anew often, such as those of folds."""
    batches = [f"epoch {epoch} batch {batch} loss: 0.5" for epoch in (1, 2, 3) for batch in (1, 2)]
    folds = [f"epoch {epoch} loss: 0.5" for _ in range(MOST_RESTARTS + 2) for epoch in (1, 2)]
    shares = [f"epoch {epoch} [{batch}/2] loss: 0.5" for epoch in (1, 2) for batch in (1, 2)]
    going_on = [f"epoch {epoch} step {2 * epoch + step}/9 loss: 0.5" for epoch in (1, 2) for step in (0, 1)]
    found = [Curves(log).found()["loss"] for log in (batches, folds, shares, going_on)]

    assert [[*curve.axes] for curve in found] == [[], [], ["epoch"], ["step"]]
    assert [curve.restarts for curve in found] == [[], [], [], []]


def test_training_and_validation_of_a_metric_are_on_one_chart() -> None:
    """If both name the same places; a validation that names the epoch alone is at the newest step of it."""
    log = [f"epoch {e} step {9 * e + s} train_loss: 1.5, lr: 3e-5" for e in (1, 2) for s in (1, 5)]
    log[2:2] = ["epoch 1 val_loss: 0.75"]
    log += ["epoch 2 val_loss: 0.5", "test accuracy: 0.9"]
    drawn = own_charts(Curves(log).found())

    assert [(each.title, [series.name for series in each.series]) for each in drawn] == [
        ("loss", ["train_loss", "val_loss"]),
        ("lr", ["lr"]),
        ("test accuracy", ["test accuracy"]),
    ]
    assert drawn[0].series[1].axes["step"] == [14, 23]
    assert [series.text for each in drawn for series in each.series] == [
        "last 1.5, best 1.5",
        "last 0.5, best 0.5",
        "last 3e-5",
        "0.9, the only value",
    ]


@given(attempts=st.lists(st.integers(0, 4), min_size=1, max_size=4))
def test_a_mark_says_restarted_only_if_the_job_was(attempts: list[int]) -> None:
    """Of several jobs each for itself, and with the word that a chart of its own has."""
    curves = Curves([f"epoch {epoch} loss: 1" for epoch in (1, 2, 1, 2)]).found()
    drawn = curves_chart("loss", {f"job {place}": curves["loss"] for place in range(len(attempts))}, attempts)

    marks = [each.mark for each in drawn.series]
    assert marks == ["restarted" if each == 2 else "starts again" for each in attempts]
    assert marks == [own_charts(curves, each)[0].series[0].mark for each in attempts]


def test_percentages_are_drawn_from_0_to_100_unless_a_value_is_outside() -> None:
    (cpu,) = usage_charts({("worker-0", "cpuUsage"): [3, None, 7]})
    (wrong,) = usage_charts({("worker-0", "cpuUsage"): [3, 107]})
    loss, accuracy = own_charts(Curves(["epoch 1 loss: 5, acc%: 50", "epoch 2 loss: 4, acc%: 60"]).found())

    assert [each.fixed for each in (cpu, wrong, loss, accuracy)] == [(0, 100), None, None, (0, 100)]


def test_a_long_chart_has_a_short_table_and_few_bytes() -> None:
    """With its first line; ten jobs of 2,000 values are less than 500 kB."""
    curves = {
        f"job {job}": Curves(f"step {x} loss: {x / 7}" for x in range(MOST_VALUES)).found()["loss"] for job in range(10)
    }
    drawn = curves_chart("loss", curves, [1] * 10)
    rows = drawn.rows()

    assert len(rows) <= MOST_ROWS
    assert rows[0][0] == 0
    assert len(str(drawn.data())) < 500_000


def test_curves_of_jobs_have_the_colours_of_their_places() -> None:
    """Also where another job has no such curve."""
    curve = Curves(["epoch 1 loss: 1", "epoch 2 loss: 0.5"]).found()["loss"]

    assert [series.colour for series in curves_chart("loss", {"a": None, "b": curve, "c": curve}, [1] * 3).series] == [
        1,
        2,
    ]


def test_curves_of_jobs_share_the_epochs_that_their_lines_name() -> None:
    """Where one job names none, the values of all are counted; a gap and what was left out are said."""
    long = Curves(f"epoch {x} loss {x}" for x in range(1, 2 * MOST_VALUES + 1)).found()["loss"]
    short = Curves(["epoch 3: loss nan", "epoch 5: loss 0.5"]).found()["loss"]
    counted = Curves(["loss: 0.75", "loss: 0.5"]).found()["loss"]
    drawn = curves_chart("loss", {"long": long, "short": short}, [1, 1])
    mixed = curves_chart("", {"a": short, "b": counted}, [1, 1])
    columns = [(each.axes[mixed.axes[0]], [*each.values]) for each in mixed.series]

    assert (drawn.axes, drawn.series[1].axes["epoch"]) == (["epoch", "value"], [3, 5])
    assert (
        drawn.note
        == f"{MOST_VALUES + 2:,} of {2 * MOST_VALUES + 2:,} values are drawn. Gaps: 1 × nan, inf or beyond 1e100."
    )
    assert (mixed.axes, repr(columns)) == (["value"], "[([1.0, 2.0], [nan, 0.5]), ([1.0, 2.0], [0.75, 0.5])]")


@pytest.mark.parametrize("line", ["loss: 0.5", "loss: nan", "loss: inf"])
def test_a_curve_whose_values_are_the_same_or_not_finite_can_be_drawn(line: str) -> None:
    (drawn,) = own_charts(Curves([line, line]).found())

    assert drawn.data()["series"][0]["values"] == ([0.5, 0.5] if line.endswith("5") else [None, None])
    for lines in drawn.lines():
        for points in lines:
            ElementTree.fromstring(f'<polyline points="{points}"/>')


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_colours_of_curves_are_told_apart_by_everybody_and_are_not_those_of_phases(scheme: str) -> None:
    """Each can be seen on the paper."""

    def colours(sheet: str) -> dict[str, tuple[float, ...]]:
        found = re.findall(r"(\w+)(?:| { color): light-dark\(#(\w+), #(\w+)\)", (STATIC / sheet).read_text("utf-8"))
        named = {name: dark if scheme == "dark" else light for name, light, dark in found}
        doubled = {name: "".join(c * (2 if len(text) == 3 else 1) for c in text) for name, text in named.items()}
        return {
            name: tuple(linear(int(text[place : place + 2], 16) / 255) for place in (0, 2, 4))
            for name, text in doubled.items()
        }

    def linear(part: float) -> float:
        return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4

    def light(colour: tuple[float, ...]) -> float:
        return sum(a * b for a, b in zip((0.2126, 0.7152, 0.0722), colour, strict=True)) + 0.05

    def seen(colour: tuple[float, ...], sight: str) -> list[float]:
        """The colour in OKLab, whose distances are those that people see."""
        rgb = [max(sum(a * b for a, b in zip(row, colour, strict=True)), 0) for row in SIGHTS[sight]]
        cones = (
            (0.4122214708, 0.5363325363, 0.0514459929),
            (0.2119034982, 0.6806995451, 0.1073969566),
            (0.0883024619, 0.2817188376, 0.6299787005),
        )
        lms = [sum(a * b for a, b in zip(row, rgb, strict=True)) ** (1 / 3) for row in cones]
        axes = (
            (0.2104542553, 0.793617785, -0.0040720468),
            (1.9779984951, -2.428592205, 0.4505937099),
            (0.0259040371, 0.7827717662, -0.808675766),
        )
        return [sum(a * b for a, b in zip(row, lms, strict=True)) for row in axes]

    curves, page = list(colours("chart.css").values()), colours("page.css")
    papers = [light(page[name]) for name in ("paper", "raised")]
    phases = [seen(page[name], "normal") for name in ("accent", "good", "bad", "warn")]
    nearest = {
        sight: min(
            math.dist(seen(one, sight), seen(other, sight))
            for place, one in enumerate(curves)
            for other in curves[:place]
        )
        for sight in SIGHTS
    }

    assert len(curves) == 10
    assert {sight: distance for sight, distance in nearest.items() if distance < 0.1} == {}
    assert min(math.dist(seen(each, "normal"), phase) for each in curves for phase in phases) > 0.08
    assert min(max(light(each), paper) / min(light(each), paper) for each in curves for paper in papers) >= 3

"""Numbers in logs: which are metrics, at which epoch or step they are, and which value is best."""

import asyncio
import math
import time
import tomllib
from collections.abc import AsyncIterator, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modelarts_toolkit.curves.curves import MOST_CURVES, MOST_VALUES, Curve, Curves
from modelarts_toolkit.curves.metric_lines import LONGEST_PART, facts
from modelarts_toolkit.jobs._async.handles import AsyncJobHandle

FORMATS = tomllib.loads(Path(__file__).parents[2].joinpath("data/metric_lines.toml").read_text("utf-8"))
NAMES = ("loss", "train_loss", "val acc", "lm loss", "val/rmse", "Test Accuracy", "reward", "grad norm", "Acc@1")
NUMBERS = (
    "{:g}",
    "{:.4e}",
    "{:.3f}",
    "+{:g}",
    "tensor({:g}, grad_fn=<NllLossBackward0>)",
    "np.float64({:g})",
    "'{:g}'",
    "[{:g}]",
    "{:g}%",
)
PAIRS = (
    "{name}: {number}",
    "{name}={number}",
    "{name} = {number}",
    '"{name}": {number}',
    "{name} : {number}",
    "{name}：{number}",
)
PLACES = (
    "epoch {x}/99 ",
    "Epoch: [{x}] ",
    "step={x}, ",
    "[{x}]\t",
    "iteration {x:8d}/    9999 | ",
    '{{"step": {x}, ',
    "第{x}轮 ",
)
PREFIXES = (
    "",
    "2026-11-28 10:00:00,123 - INFO - ",
    "I1128 10:00:00.123456 4711 train.py:48] ",
    "[rank0]: ",
    "\x1b[32mINFO\x1b[0m ",
)


def text_of(curve: Curve) -> str:
    """What x counts, x and value of each point, and the best one if there is one."""
    points = ", ".join(f"{x:g} {value:g}" for x, value in zip(curve.x, curve.values, strict=True))
    return f"{curve.x_name}: {points}" + ("" if math.isnan(curve.best) else f"; best {curve.best:g}")


@pytest.mark.parametrize("form", FORMATS)
def test_the_curves_of_a_format_are_read_and_nothing_else(form: str) -> None:
    """The file has lines of frameworks, libraries and people, and lines with numbers that are no metrics."""
    lines, *_ = FORMATS[form].values()
    expected = {name: text for name, text in FORMATS[form].items() if name != "lines"}

    assert {name: text_of(curve) for name, curve in Curves(lines.split("\n")).found().items()} == expected


@given(
    st.lists(st.floats(0.001, 999), min_size=2, max_size=5),
    *map(st.sampled_from, (NAMES, NUMBERS, PAIRS, PLACES, PREFIXES)),
)
def test_whoever_writes_a_metric_it_is_read_back(
    values: Sequence[float], name: str, number: str, pair: str, place: str, prefix: str
) -> None:
    """With every form of number, pair, place and prefix of a logger, also as states of a progress bar."""
    numbers = [number.format(value) for value in values]
    lines = [prefix + place.format(x=x) + pair.format(name=name, number=text) for x, text in enumerate(numbers, 1)]
    expected = [float(number_text) for number_text in map(plain_number, numbers)]
    (curve,), (bar,) = (Curves(each).found().values() for each in (lines, ["\r".join(lines)]))

    assert (curve.name, curve.values, curve.x) == (name, expected, [*range(1, len(values) + 1)])
    assert (bar.values, bar.best == curve.best or math.isnan(bar.best), bar.x) == (curve.values, True, curve.x)


def plain_number(text: str) -> str:
    """The number in the text of an object."""
    return text.partition("(")[2].partition(",")[0].rstrip(")") if "(" in text else text.strip("'[]%")


@given(
    st.lists(st.text("abcdefgh .,()'", max_size=30), min_size=3, max_size=3), st.lists(st.integers(0, 9999), min_size=2)
)
def test_prose_with_numbers_is_no_metric(texts: Sequence[str], numbers: Sequence[int]) -> None:
    """No sign stands between a word and a number."""
    assert Curves(f"{texts[0]} {number} {texts[1]} {number} {texts[2]}" for number in numbers).found() == {}


@given(st.floats(0.001, 999), st.integers(0, 40))
def test_a_number_at_a_cut_is_not_read(value: float, length: int) -> None:
    """Half a number would be a wrong one."""
    line = "x" * (LONGEST_PART - length) + f" loss: {value} and more"

    assert [curve.last for curve in Curves([line]).found().values()] in ([], [value])


class Printing:
    """A job whose last line has no end yet."""

    def __init__(self, *, is_terminal: bool) -> None:
        self.is_terminal, self.unfinished = is_terminal, ""

    def log_source(self) -> "Printing":
        return self

    async def log_batches(self, _source: object) -> AsyncIterator[Iterable[str]]:
        self.unfinished = "loss 0.25"
        yield ["loss 0.75"]
        self.unfinished = ""
        yield ["loss 0.5\rloss 0.25"]


@pytest.mark.parametrize(("is_terminal", "expected"), [(False, [0.75, 0.5]), (True, [0.75, 0.5, 0.25])])
def test_a_number_at_the_end_of_a_growing_log_is_read_when_the_line_goes_on(
    is_terminal: bool, expected: Sequence[float]
) -> None:
    job: Any = Printing(is_terminal=is_terminal)

    assert asyncio.run(AsyncJobHandle.curves(job))["loss"].values == expected


def test_the_best_value_is_only_named_where_it_is_sure() -> None:
    small = ["loss", "val_loss", "Loss", "error", "rmse", "val_mae", "perplexity", "val/rmse", "top1_err", "valLoss"]
    large = ["accuracy", "ep_rew_mean", "f1", "mAP50", "Acc@1", "val precision", "R2", "success rate"]
    unsure = [
        "lr",
        "learning_rate",
        "time",
        "it/s",
        "loss scale",
        "grad_norm",
        "fidelity",
        "maestro",
        "eta",
        "policy_loss",
    ]

    assert {facts(name).best for name in small} == {"min"}
    assert {facts(name).best for name in large} == {"max"}
    assert {facts(name).best for name in unsure} == {""}


@given(
    st.sampled_from(["time", "timestamp", "ts", "_timestamp", "wall_time", "created_at", "now", "Wall time", "x"]),
    st.lists(st.datetimes(datetime(2005, 1, 1), datetime(2100, 1, 1)), min_size=1, max_size=5).map(sorted),
    st.sampled_from([1, 1e3, 1e6, 1e9]),
    st.sampled_from(["{{{place}, {pair}, {loss}}}", "{{{loss}, {pair}}}", "{{{pair}, {place}, {loss}}}"]),
)
def test_times_of_day_are_no_metrics_whatever_they_are_called(
    name: str, moments: Sequence[datetime], unit: float, form: str
) -> None:
    """As `time.time()` gives them, and in smaller units; how long something took stays one, and so does a huge loss."""
    seconds = [moment.replace(tzinfo=UTC).timestamp() for moment in moments]
    parts = [
        {"pair": f'"{name}": {each * unit!r}', "place": f'"epoch": {x}', "loss": f'"loss": {each}'}
        for x, each in enumerate(seconds, 1)
    ]

    found = Curves(form.format(**each) for each in parts).found()
    assert {name: curve.values for name, curve in found.items()} == {"loss": seconds}
    others = ['{"time": 12.5}', '{"time": 14.5}', '{"x": 1e9}', '{"x": 5e9}', *(f'{{"y": {y}e9}}' for y in (2, 1, 3))]
    assert [*Curves(others).found()] == ["time", "x", "y"]


def test_a_curve_knows_its_first_best_and_last_value() -> None:
    """A value that is not finite is shown, and is never the best; one value of an unknown name is no curve."""
    found = Curves(["loss: 0.9 accuracy: 0.1", "loss: 0.2 accuracy: 0.8", "loss: nan accuracy: 0.7", "sum: 5"]).found()

    loss, accuracy = found["loss"], found["accuracy"]
    assert (loss.first, loss.best, loss.count) == (0.9, 0.2, 3)
    assert math.isnan(loss.last)
    assert loss.to_dict()["last"] is None
    assert (accuracy.first, accuracy.best, accuracy.last, accuracy.values) == (0.1, 0.8, 0.7, [0.1, 0.8, 0.7])
    assert [*found] == ["loss", "accuracy"]


def test_tasks_have_curves_of_their_own_and_lines_of_the_platform_none() -> None:
    lines = ["[worker-0] loss 0.5", "[worker-1] loss 0.7", "[worker-0] [ModelArts Service Log] exit code: 1"]

    assert {name: curve.last for name, curve in Curves(lines).found().items()} == {"loss": 0.5, "worker-1 loss": 0.7}


def test_a_long_log_with_many_names_keeps_few_values() -> None:
    """First, best and last are exact, and so are the places of what is kept."""
    curve = Curve("loss")
    for number in range(10 * MOST_VALUES):
        curve.add(abs(number - 7001), {"step": number})

    assert len(curve.values) <= MOST_VALUES
    assert (curve.first, curve.best, curve.last) == (7001, 0, 10 * MOST_VALUES - 7002)
    assert curve.values == [abs(x - 7001) for x in curve.x]
    assert len(Curves(f"loss_{'x' * number}: 1" for number in range(1000)).found()) == MOST_CURVES


@pytest.mark.parametrize(
    "part", ["a", "a.b-", "loss ", "1", "1,", "a b ", "a=", "((", "1/", "@[", "a 1 ", "-", "1e+", "| "]
)
def test_a_line_of_two_megabytes_costs_no_time(part: str) -> None:
    began = time.process_time()

    assert Curves([part * (2_000_000 // len(part)), f"\r{part * 50}" * (2_000_000 // len(part) // 500)]).found() == {}
    assert time.process_time() - began < 5

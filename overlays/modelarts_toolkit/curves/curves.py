"""Curves of training: series of numbers that a job reports or prints, such as `loss: 0.31`."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from modelarts_toolkit.curves.metric_lines import Facts, LineReader, facts, without_end
from modelarts_toolkit.reading import entries, present

if TYPE_CHECKING:
    from modelarts_api.v2.models import FineTuningChart, FineTuningMetrics

MOST_VALUES = 2000  # of a curve; a longer one keeps every second, fourth, ... value
MOST_CURVES = 50  # of a log

_TASK = re.compile(r"\[(?P<task>[a-z]+-\d+)\] ")
_FIRST_TASK = "worker-0"
_NO_PLACES: Mapping[str, float] = {}
_AXES = ("epoch", "step", "part")  # the first one that rises from each value to the next is x


@dataclass(slots=True)
class Curve:
    """The values of one metric in order; first, last, best and count consider also values that were thinned out.

    `best` is NaN if the name does not say for sure which value is best: `lr`, `time`. `x_name` is what `x` counts."""

    name: str
    values: list[float] = field(default_factory=list)
    first: float = math.nan
    last: float = math.nan
    best: float = math.nan
    count: int = 0
    is_constant: bool = True
    has_places: bool = False  # the first value has one
    _step: int = field(default=1, repr=False)
    _places: dict[str, list[float]] = field(default_factory=dict, repr=False)
    _newest: dict[str, float] = field(default_factory=lambda: dict.fromkeys(_AXES, -math.inf), repr=False)
    _facts: Facts = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._facts = facts(self.name)

    def add(self, value: float, places: Mapping[str, float] = _NO_PLACES) -> None:
        """Add a value, and where in the training it was; one that is not finite is never the best."""
        if self.count == 0:
            self.first = value
        elif value != self.first:
            self.is_constant = False
        self.last = value
        better = self._facts.best
        if better and math.isfinite(value) and not (self.best <= value if better == "min" else self.best >= value):
            self.best = value
        if self._newest:
            self._newest = {
                axis: places[axis] for axis, newest in self._newest.items() if axis in places and places[axis] > newest
            }
        if self.count % self._step == 0:
            self.values.append(value)
            for axis in self._newest:
                self._places.setdefault(axis, []).append(places[axis])
            if len(self.values) > MOST_VALUES:
                self.values, self._step = self.values[::2], self._step * 2
                self._places = {axis: self._places[axis][::2] for axis in self._newest}
        self.count += 1

    @property
    def x_name(self) -> str:
        """What `x` counts: `epoch` or `step`, if the lines name one that rises from value to value, else `value`."""
        return next((axis for axis in self._newest), "value").replace("part", "epoch")

    @property
    def x(self) -> list[float]:
        """The place of each of `values`; values are counted from 1."""
        return self._places[next(iter(self._newest))] if self._newest and self.values else self.numbers

    @property
    def numbers(self) -> list[float]:
        """Which one each of `values` was, counted from 1."""
        return [1.0 + place * self._step for place in range(len(self.values))]

    @property
    def has_best(self) -> bool:
        """Whether `best` is known."""
        return not math.isnan(self.best)

    @property
    def is_metric(self) -> bool:
        """Whether it is one for sure: the name says so, or it has several values and is not a repeated setting."""
        return bool(self._facts.best) or (self.count > 1 and (self._facts.is_known or not self.is_constant))

    def to_dict(self) -> dict[str, float | None]:
        """Return the numbers as a JSON object; None for those that are not finite."""
        numbers = {"first": self.first, "best": self.best, "last": self.last, "count": self.count}
        return {name: value if math.isfinite(value) else None for name, value in numbers.items()}


class Curves:
    """Collects the curves of a log, line by line, in the order in which they first appear."""

    def __init__(self, lines: Iterable[str] = ()) -> None:
        self._curves: dict[str, Curve] = {}
        self._readers: dict[str, LineReader] = {}
        for line in lines:
            self.add(line)

    def add(self, line: str, *, is_cut: bool = False) -> None:
        """Read the metrics of a line, such as `epoch 3 loss: 0.31, acc 0.9`; of one that is cut not its end."""
        line = without_end(line) if is_cut else line
        task, prefix = _TASK.match(line) if line[:1] == "[" else None, ""
        if task:
            line, prefix = line[task.end() :], f"{task['task']} " if task["task"] != _FIRST_TASK else ""
        reader = self._readers.get(prefix) or self._readers.setdefault(prefix, LineReader())
        for values, places in reader.read(line):
            for name, value in values.items():
                curve = self._curves.get(prefix + name)
                if curve is not None and curve.has_places and not places:  # such as of a validation at the end
                    name = f"{name} (summary)"
                    curve = self._curves.get(prefix + name)
                if curve is None and len(self._curves) < MOST_CURVES:
                    curve = self._curves[prefix + name] = Curve(prefix + name, has_places=bool(places))
                if curve is not None:
                    curve.add(value, places)

    def found(self, *, fewest: int = 1) -> dict[str, Curve]:
        """Return the curves with at least `fewest` values, by name, without what may be a setting or prose."""
        return {name: curve for name, curve in self._curves.items() if curve.count >= fewest and curve.is_metric}


def reported_curves(report: "FineTuningMetrics") -> dict[str, Curve]:
    """Return the curves of the line charts that a job reports (`showFtMetrics`), named after chart and metric.

    A point is an object with named numbers; `group_by` lists the members that distinguish series.
    """
    found: dict[str, Curve] = {}
    for each in entries(lambda: present(report.data).metrics):
        for metric, value in _values_of(each) if each.type_ == "line" else ():
            found.setdefault(f"{each.name_en or ''} {metric}".strip(), Curve(metric)).add(value)
    return found


def _values_of(chart: "FineTuningChart") -> Iterator[tuple[str, float]]:
    """Yield the values of a chart, each with the metric and the values that distinguish its series."""
    groups = entries(lambda: chart.group_by, str)
    points: object = chart.data
    for point in points if isinstance(points, list) else ():
        members: Mapping[str, Any] = point if isinstance(point, dict) else {}
        group = " ".join(str(members.get(name)) for name in groups)
        for metric, value in members.items():
            is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
            if is_number and metric not in (chart.x_axis, *groups):
                yield f"{metric} {group}".strip(), value

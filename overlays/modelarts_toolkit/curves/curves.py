"""Curves of training: series of numbers that a job reports or prints, such as `loss: 0.31`."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
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
_AXES = ("epoch", "step", "part", "time")  # the first one that rises from each value to the next is x
_TIMES_OF_DAY = [(1e9 * unit, 5e9 * unit) for unit in (1, 1e3, 1e6, 1e9)]  # 2001 to 2128, from 1970 in s, ms, µs, ns
MOST_RESTARTS = 5  # with more of them, epochs or steps are counted anew by design
_TIME = re.compile(r"\W{0,2}(\d{4}[-/]\d\d[-/]\d\d)[ T_](\d\d:\d\d:\d\d)(?:[.,](\d{1,6}))?")


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
    _last: Mapping[str, float] = field(default_factory=dict, repr=False)
    _restarts: list[int] = field(default_factory=list, repr=False)  # how many values came before each
    _fallen: set[str] = field(default_factory=set, repr=False)
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
            self._add_place(places)
        if self.count % self._step == 0:
            self.values.append(value)
            for axis in self._newest:
                self._places.setdefault(axis, []).append(places[axis])
            if len(self.values) > MOST_VALUES:
                self.values, self._step = self.values[::2], self._step * 2
                self._places = {axis: self._places[axis][::2] for axis in self._newest}
        self.count += 1

    def _add_place(self, places: Mapping[str, float]) -> None:
        """Keep the axes that rise, and those that fall all together, as after a restart."""
        rising = {
            axis: place for axis, newest in self._newest.items() if (place := places.get(axis, -math.inf)) > newest
        }
        if len(rising) == len(self._newest):
            self._newest, self._last = rising, places
            return
        moves = [places[axis] - last for axis, last in self._last.items() if axis != "time" and axis in places]
        fallen = {axis for axis in self._newest if axis != "time" and places.get(axis, math.inf) < self._newest[axis]}
        if fallen and max(moves, default=0) <= 0 and len(self._restarts) <= MOST_RESTARTS:
            self._restarts.append(self.count)
            self._fallen |= fallen
        else:
            fallen = set()
        if len(self._restarts) > MOST_RESTARTS:
            fallen, self._restarts = set(), []
            self._newest = {axis: newest for axis, newest in self._newest.items() if axis not in self._fallen}
        self._last = places
        self._newest = {
            axis: place
            for axis, newest in self._newest.items()
            if (place := places.get(axis, math.nan)) > newest or axis in fallen or (axis == "time" and place == newest)
        }

    @property
    def _x_axis(self) -> str:
        return next((axis for axis in self._newest if axis not in self._fallen), "")

    @property
    def x_name(self) -> str:
        """What `x` counts: `epoch` or `step`, if the lines name one that rises from value to value, else `value`."""
        return self._x_axis.replace("part", "epoch").replace("time", "") or "value"

    @property
    def x(self) -> list[float]:
        """The place of each of `values`; values are counted from 1."""
        return self._places[self._x_axis] if self.x_name != "value" and self.values else self.numbers

    @property
    def axes(self) -> dict[str, list[float]]:
        """The places of `values` that all lines name: `epoch`, `step`, and `time` in seconds since the log began.

        Those of `restarts` may be smaller than the ones before them.
        """
        names = self._places.keys() & self._newest
        if not names.isdisjoint(("epoch", "step")):  # of steps that go on in the next epoch, no share is known
            names -= {"part"}
        ordered = sorted(names, key=lambda name: (name != self._x_axis, name != "part", name))
        return {name.replace("part", "epoch"): self._places[name] for name in ordered}

    @property
    def restarts(self) -> list[int]:
        """Which of `values` are the first ones after an epoch or a step that is smaller than the one before."""
        return [-(-count // self._step) for count in self._restarts]

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
        is_unsure = not self._facts.best and (self.count < 2 or (self.is_constant and not self._facts.is_known))
        return not is_unsure and not self._is_time_of_day

    @property
    def _is_time_of_day(self) -> bool:
        """Whether the values are times such as those of `time.time()`, by their size: no name says it for sure."""
        if self._facts.kind == "metric" and self._facts.is_known:
            return False
        is_one = any(low <= self.first <= self.last < high for low, high in _TIMES_OF_DAY)
        return is_one and all(a <= b for a, b in pairwise([*self.values, self.last]))

    def to_dict(self) -> dict[str, float | None]:
        """Return the numbers as a JSON object; None for those that are not finite."""
        numbers = {"first": self.first, "best": self.best, "last": self.last, "count": self.count}
        return {name: value if math.isfinite(value) else None for name, value in numbers.items()}


class Curves:
    """Collects the curves of a log, line by line, in the order in which they first appear."""

    def __init__(self, lines: Iterable[str] = ()) -> None:
        self._curves: dict[str, Curve] = {}
        self._readers: dict[str, LineReader] = {}
        self._steps: dict[str, Mapping[str, float]] = {}  # the newest one of each task, with its epoch
        self._began: datetime | None = None  # as the first line with a time says
        for line in lines:
            self.add(line)

    def add(self, line: str, *, is_cut: bool = False) -> None:
        """Read the metrics of a line, such as `epoch 3 loss: 0.31, acc 0.9`; of one that is cut not its end."""
        line = without_end(line) if is_cut else line
        task, prefix = _TASK.match(line) if line[:1] == "[" else None, ""
        if task:
            line, prefix = line[task.end() :], f"{task['task']} " if task["task"] != _FIRST_TASK else ""
        reader = self._readers.get(prefix) or self._readers.setdefault(prefix, LineReader())
        moment = _moment(line)
        self._began = self._began or moment
        time = {"time": (moment - self._began).total_seconds()} if moment and self._began else _NO_PLACES
        for values, places in reader.read(line):
            if "step" in places:
                self._steps[prefix] = places
            elif places and (newest := self._steps.get(prefix)) and places.get("epoch") == newest.get("epoch"):
                places = {**places, "step": newest["step"]}  # such as a validation after it
            for name, value in values.items():
                curve = self._curves.get(prefix + name)
                if curve is not None and curve.has_places and not places:  # such as of a validation at the end
                    name = f"{name} (summary)"
                    curve = self._curves.get(prefix + name)
                if curve is None and len(self._curves) < MOST_CURVES:
                    curve = self._curves[prefix + name] = Curve(prefix + name, has_places=bool(places))
                if curve is not None:
                    curve.add(value, {**places, **time} if time else places)

    def found(self, *, fewest: int = 1) -> dict[str, Curve]:
        """Return the curves with at least `fewest` values, by name, without what may be a setting or prose."""
        return {name: curve for name, curve in self._curves.items() if curve.count >= fewest and curve.is_metric}


def _moment(line: str) -> datetime | None:
    """Return the time at the begin of a line, as the clock there showed it."""
    found = _TIME.match(line) if line[:3].strip("[(<").isdigit() else None
    with suppress(ValueError):
        return datetime.fromisoformat(f"{found[1].replace('/', '-')}T{found[2]}.{found[3] or 0}") if found else None
    return None


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

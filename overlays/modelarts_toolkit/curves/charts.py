"""Charts of curves: numbers that a script draws on pages, and lines of SVG for files without scripts."""

import math
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from modelarts_toolkit.curves.curves import Curve
from modelarts_toolkit.curves.metric_lines import metric_of
from modelarts_toolkit.texts import number_text

Number = float | None

LARGEST = 1e100  # that is drawn
MOST_ROWS = 100  # of the table of a chart
PERCENT = (0.0, 100.0)


@dataclass(frozen=True, slots=True)
class Series:
    """Values with their places by axis; NaN where the line has a gap: not measured, or not a finite number."""

    name: str
    values: Sequence[float]
    axes: Mapping[str, Sequence[float]]
    text: str = ""
    colour: int = 0
    restarts: Sequence[int] = ()  # the places in `values` before which the line has a gap
    mark: str = ""  # what they were

    def points(self, axis: str) -> Iterator[tuple[int, float, float]]:
        """Yield of each value how many restarts were before it, its place and itself."""
        for number, (x, value) in enumerate(zip(self.axes[axis], self.values, strict=True)):
            yield bisect_right(self.restarts, number), x, value


@dataclass(frozen=True, slots=True)
class Chart:
    """Series over the same x axes, the first of which is chosen."""

    title: str
    series: Sequence[Series]
    axes: Sequence[str]
    note: str = ""

    @property
    def limits(self) -> tuple[float, float]:
        """The smallest and the largest value."""
        values = [value for each in self.series for value in each.values if not math.isnan(value)]
        return (min(values), max(values)) if values else (0.0, 0.0)

    @property
    def fixed(self) -> tuple[float, float] | None:
        """The ends of the y axis of percentages."""
        low, high = self.limits
        return PERCENT if "%" in self.title and PERCENT[0] <= low and high <= PERCENT[1] else None

    @property
    def is_line(self) -> bool:
        """Whether there is more than one value."""
        return any(len(each.values) > 1 for each in self.series)

    def lines(self) -> list[list[str]]:
        """Of each series the points of its lines in a square of 100, y downwards; a missing value is a gap."""
        low, high = self.limits
        places = [x for each in self.series for x in each.axes[self.axes[0]]] or [0.0]
        first, last = min(places), max(places)
        found: list[list[str]] = []
        for each in self.series:
            parts: list[list[str]] = [[]]
            newest = 0
            for run, x, value in each.points(self.axes[0]):
                if run > newest or math.isnan(value):
                    parts.append([])
                newest = run
                if not math.isnan(value):
                    y = 50 if high == low else 100 - 100 * (value - low) / (high - low)
                    parts[-1].append(f"{100 * (x - first) / (last - first or 1):.2f},{y:.2f}")
            found.append([" ".join(part) for part in parts if part])
        return found

    def rows(self) -> list[list[Number]]:
        """Lines of a table, MOST_ROWS of them at most: x and the value of each series, None if it has none there."""
        found: dict[tuple[int, float], list[Number]] = {}
        for column, each in enumerate(self.series):
            for run, x, value in each.points(self.axes[0]):
                found.setdefault((run, x), [None] * len(self.series))[column] = value
        rows: list[list[Number]] = [[x, *found[run, x]] for run, x in sorted(found)]
        return rows[:: max(-(-len(rows) // MOST_ROWS), 1)]

    def data(self) -> dict[str, Any]:
        """What the script draws, as a JSON object; None is a gap."""
        series = [
            {
                "name": each.name,
                "colour": each.colour,
                "values": [None if math.isnan(value) else float(f"{value:.7g}") for value in each.values],
                "axes": {axis: [*map(_short, each.axes[axis])] for axis in self.axes},
                "restarts": each.restarts,
                "mark": each.mark,
            }
            for each in self.series
        ]
        return {"title": self.title, "axes": self.axes, "series": series, "fixed": self.fixed}


def _short(x: float) -> float:
    return int(x) if x.is_integer() else round(x, 6)


def chart(title: str, x: str, series: Mapping[str, Sequence[Number]]) -> Chart:
    """A chart of series by their names, which may be of different lengths; None in a series is a gap."""
    found = []
    for colour, (name, given) in enumerate(series.items()):
        values = [*map(_finite, given)]
        known = [value for value in values if not math.isnan(value)]
        text = f"last {number_text(known[-1])}" if known else "not measured"
        found.append(Series(name, values, {x: [*map(float, range(len(values)))]}, text, colour))
    return Chart(title, found, [x])


def curves_chart(title: str, curves: Mapping[str, Curve | None], attempts: Sequence[int]) -> Chart:
    """A chart of curves by the names of their lines, each with the colour of its place; None is no line.

    The x axes are those that all have; their values are counted, too. `attempts` is how often the job of each line was
    started.
    """
    given = {name: (place, curve) for place, (name, curve) in enumerate(curves.items()) if curve}
    axes_of = {name: _axes(curve) for name, (_, curve) in given.items()}
    common = [axis for axis in next(iter(axes_of.values()), {}) if all(axis in axes for axes in axes_of.values())]
    series = []
    for name, (place, curve) in given.items():
        values, mark = [*map(_finite, curve.values)], _mark(curve, attempts[place])
        series.append(Series(name, values, axes_of[name], _text(curve), place, curve.restarts, mark))
    known = [curve for _, curve in given.values()]
    shown, count = sum(len(curve.values) for curve in known), sum(curve.count for curve in known)
    gaps = sum(math.isnan(value) for each in series for value in each.values)
    notes = [
        f"{shown:,} of {count:,} values are drawn." if shown < count else "",
        f"Gaps: {gaps} × nan, inf or beyond {number_text(LARGEST)}." if gaps else "",
    ]
    return Chart(title, series, common or ["value"], " ".join(filter(None, notes)))


def _axes(curve: Curve) -> dict[str, Sequence[float]]:
    """The places of the values; times are in minutes."""
    axes = {name: [x / 60 for x in places] if name == "time" else places for name, places in curve.axes.items()}
    return {**axes, "value": curve.numbers}


def _mark(curve: Curve, attempts: int) -> str:
    """What the restarts of a curve were: those of its job, if that had as many."""
    return "restarted" if len(curve.restarts) == attempts - 1 else "starts again"


def _text(curve: Curve) -> str:
    """The last and the best value, as the legend says them."""
    if curve.count == 1:
        return f"{number_text(curve.last)}, the only value"
    return f"last {number_text(curve.last)}" + (f", best {number_text(curve.best)}" if curve.has_best else "")


def _finite(value: Number) -> float:
    return value if value is not None and abs(value) < LARGEST else math.nan


def own_charts(curves: Mapping[str, Curve], attempts: int = 1) -> list[Chart]:
    """A chart for each metric of a job's own: of training and validation together, where both name the same places.

    `attempts` is how often the job was started.
    """
    groups: dict[tuple[str, ...], dict[str, Curve]] = {}
    for name, curve in curves.items():
        group = groups.setdefault((metric_of(name),), {})
        if group and not _can_share(next(iter(group.values())), curve):
            group = groups.setdefault((metric_of(name), name), {})
        group[name] = curve
    found = []
    for (metric, *_), group in groups.items():
        title = metric if len(group) > 1 else next(iter(group))
        found.append(curves_chart(title, group, [attempts] * len(group)))
    return found


def _can_share(one: Curve, other: Curve) -> bool:
    """Whether both have more than one value, and places of the same kind."""
    is_line = min(one.count, other.count) > 1
    return is_line and (one.count == other.count or not one.axes.keys().isdisjoint(other.axes))


def usage_charts(series: Mapping[tuple[str, str], Sequence[Number]]) -> list[Chart]:
    """A chart for each metric of the nodes, with a line for each task; `series` has the values by task and metric."""
    usage: dict[str, dict[str, Sequence[Number]]] = {}
    for (task, metric), values in series.items():
        usage.setdefault(metric, {})[task] = values
    return [chart(f"{metric}, % of the node", "minute", tasks) for metric, tasks in usage.items()]

"""Charts of curves: numbers that a script draws on pages, and lines of SVG for files without scripts."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from modelarts_toolkit.curves.curves import Curve
from modelarts_toolkit.curves.metric_lines import metric_of
from modelarts_toolkit.texts import number_text

Number = float | None

LARGEST = 1e100  # that is drawn
MOST_ROWS = 100  # of the table of a chart
PERCENT = (0.0, 100.0)
SECONDS_PER_MINUTE = 60


@dataclass(frozen=True, slots=True)
class Series:
    """Values with their places by axis; NaN where the line has a gap: not measured, or not a finite number."""

    name: str
    values: Sequence[float]
    axes: Mapping[str, Sequence[float]]
    text: str = ""
    colour: int = 0
    restarts: Sequence[int] = ()  # the places in `values` before which the line has a gap

    def parts(self) -> list[slice]:
        """The values between restarts."""
        ends = [*self.restarts, len(self.values)]
        return [slice(start, end) for start, end in zip([0, *self.restarts], ends, strict=True)]


@dataclass(frozen=True, slots=True)
class Chart:
    """Series over the same x axes, the first of which is chosen; `fixed` are the ends of the y axis, if they are given.

    `mark` says what a restart was.
    """

    title: str
    series: Sequence[Series]
    axes: Sequence[str]
    note: str = ""
    fixed: tuple[float, float] | None = None
    mark: str = ""

    @property
    def limits(self) -> tuple[float, float]:
        """The smallest and the largest value."""
        values = [value for each in self.series for value in each.values if not math.isnan(value)]
        return (min(values), max(values)) if values else (0.0, 0.0)

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
            for part in each.parts():
                parts.append([])
                for x, value in zip(each.axes[self.axes[0]][part], each.values[part], strict=True):
                    if math.isnan(value):
                        parts.append([])
                        continue
                    y = 50 if high == low else 100 - 100 * (value - low) / (high - low)
                    parts[-1].append(f"{100 * (x - first) / (last - first or 1):.2f},{y:.2f}")
            found.append([" ".join(part) for part in parts if part])
        return found

    def rows(self) -> list[list[Number]]:
        """Lines of a table, MOST_ROWS of them at most: x and the value of each series, None if it has none there."""
        found: dict[tuple[int, float], list[Number]] = {}
        for column, each in enumerate(self.series):
            for run, part in enumerate(each.parts()):
                for x, value in zip(each.axes[self.axes[0]][part], each.values[part], strict=True):
                    found.setdefault((run, x), [None] * len(self.series))[column] = value
        rows = [[x, *values] for (_, x), values in sorted(found.items(), key=lambda item: item[0])]
        step = -(-len(rows) // MOST_ROWS)
        return rows[::step] if step else rows

    def data(self) -> dict[str, Any]:
        """What the script draws, as a JSON object; None is a gap."""
        series = [
            {
                "name": each.name,
                "colour": each.colour,
                "values": [None if math.isnan(value) else float(f"{value:.7g}") for value in each.values],
                "axes": {axis: [*map(_short, each.axes[axis])] for axis in self.axes},
                "restarts": each.restarts,
            }
            for each in self.series
        ]
        return {"title": self.title, "axes": self.axes, "series": series, "fixed": self.fixed, "mark": self.mark}


def _short(x: float) -> float:
    return int(x) if x.is_integer() else round(x, 6)


def chart(title: str, x: str, series: Mapping[str, Sequence[Number]], *, is_percent: bool = False) -> Chart:
    """A chart of series by their names, which may be of different lengths; None in a series is a gap."""
    found = []
    for colour, (name, given) in enumerate(series.items()):
        values = [*map(_finite, given)]
        known = [value for value in values if not math.isnan(value)]
        text = f"last {number_text(known[-1])}" if known else "not measured"
        found.append(Series(name, values, {x: [*map(float, range(len(values)))]}, text, colour))
    return Chart(title, found, [x], fixed=PERCENT if is_percent and _is_percent(found) else None)


def curves_chart(title: str, curves: Mapping[str, Curve | None], mark: str = "") -> Chart:
    """A chart of curves by the names of their lines, each with the colour of its place; None is no line.

    The x axes are those that all have; their values are counted, too.
    """
    given = {name: (colour, curve) for colour, (name, curve) in enumerate(curves.items()) if curve}
    axes_of = {name: _axes(curve) for name, (_, curve) in given.items()}
    common = [axis for axis in next(iter(axes_of.values()), {}) if all(axis in axes for axes in axes_of.values())]
    series = [
        Series(name, [*map(_finite, curve.values)], axes_of[name], _text(curve), colour, curve.restarts)
        for name, (colour, curve) in given.items()
    ]
    known = [curve for _, curve in given.values()]
    shown, count = sum(len(curve.values) for curve in known), sum(curve.count for curve in known)
    gaps = sum(math.isnan(value) for each in series for value in each.values)
    notes = [
        f"{shown:,} of {count:,} values are drawn." if shown < count else "",
        f"Gaps: {gaps} × nan, inf or beyond {number_text(LARGEST)}." if gaps else "",
    ]
    fixed = PERCENT if title.endswith("%") and _is_percent(series) else None
    return Chart(title, series, common or ["value"], " ".join(filter(None, notes)), fixed, mark)


def _axes(curve: Curve) -> dict[str, Sequence[float]]:
    """The places of the values; times are in minutes."""
    axes: dict[str, Sequence[float]] = {**curve.axes, "value": curve.numbers}
    if "time" in axes:
        axes["time"] = [seconds / SECONDS_PER_MINUTE for seconds in axes["time"]]
    return axes


def _is_percent(series: Sequence[Series]) -> bool:
    return all(PERCENT[0] <= value <= PERCENT[1] for each in series for value in each.values if not math.isnan(value))


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
        is_restart = attempts > 1 and all(len(curve.restarts) == attempts - 1 for curve in group.values())
        found.append(curves_chart(title, group, "restarted" if is_restart else "starts again"))
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
    return [chart(f"{metric}, % of the node", "minute", tasks, is_percent=True) for metric, tasks in usage.items()]

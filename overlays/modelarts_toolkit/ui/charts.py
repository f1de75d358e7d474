"""Charts as tables of numbers, which a script draws on pages, and as lines of SVG, for files without scripts."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from modelarts_toolkit.jobs.curves import Curve
from modelarts_toolkit.jobs.tables import usage_series
from modelarts_toolkit.jobs.trials import Ranking, configuration, number_in, short

Number = float | None
LOGARITHMIC_FROM = 100  # how many times the smallest value the largest one is


@dataclass(frozen=True, slots=True)
class Chart:
    """Series over the same x axis: a line of the table for each place on it.

    None where a series has no value, NaN where its line has a gap: not measured, or not a finite number.
    """

    title: str
    x: str
    names: Sequence[str]
    rows: Sequence[Sequence[Number]]
    note: str = ""

    @property
    def limits(self) -> tuple[float, float]:
        """The smallest and the largest value."""
        values = [value for row in self.rows for value in row[1:] if value is not None and not math.isnan(value)]
        return (min(values), max(values)) if values else (0.0, 0.0)

    def lines(self) -> list[list[str]]:
        """Of each series the points of its lines in a square of 100, y downwards; a missing value is a gap."""
        low, high = self.limits
        first, last = (self.rows[0][0] or 0, self.rows[-1][0] or 0) if self.rows else (0, 0)
        found: list[list[str]] = []
        for column in range(1, len(self.names) + 1):
            parts: list[list[str]] = [[]]
            for x, value in ((row[0] or 0, row[column]) for row in self.rows):
                if value is not None and math.isnan(value):
                    parts.append([])
                elif value is not None:
                    y = 50 if high == low else 100 - 100 * (value - low) / (high - low)
                    parts[-1].append(f"{100 * (x - first) / (last - first or 1):.2f},{y:.2f}")
            found.append([" ".join(part) for part in parts if part])
        return found


def chart(title: str, x: str, series: Mapping[str, Sequence[Number]]) -> Chart:
    """A chart of series by their names, which may be of different lengths; None in a series is a gap."""
    length = max(map(len, series.values()), default=0)
    columns = [[*map(_finite, values), *[None] * (length - len(values))] for values in series.values()]
    return Chart(title, x, [*series], [[index, *values] for index, values in enumerate(zip(*columns, strict=True))])


def curves_chart(title: str, curves: Mapping[str, Curve]) -> Chart:
    """A chart of curves by the names of their lines; they are counted unless all have epochs, or all have steps."""
    names = {curve.x_name for curve in curves.values()}
    columns = [
        dict(zip(curve.x if len(names) == 1 else curve.numbers, map(_finite, curve.values), strict=True))
        for curve in curves.values()
    ]
    rows = [[x, *(column.get(x) for column in columns)] for x in sorted({x for column in columns for x in column})]
    gaps = sum(not math.isfinite(value) for curve in curves.values() for value in curve.values)
    shown, count = (sum(each) for each in zip(*((len(c.values), c.count) for c in curves.values()), strict=True))
    notes = [
        f"{shown:,} of {count:,} values are drawn." if shown < count else "",
        f"Gaps: {gaps} × nan or inf." if gaps else "",
    ]
    return Chart(title, names.pop() if len(names) == 1 else "value", [*curves], rows, " ".join(filter(None, notes)))


def _finite(value: Number) -> float:
    return value if value is not None and math.isfinite(value) else math.nan


def own_charts(curves: Mapping[str, Curve]) -> list[Chart]:
    """A chart for each curve of a job's own that has more than one value."""
    return [curves_chart(name, {name: curve}) for name, curve in curves.items() if curve.count > 1]


def usage_charts(rows: Iterable[Mapping[str, Any]]) -> list[Chart]:
    """A chart for each metric of the nodes that was measured, with a line for each task."""
    usage: dict[str, dict[str, list[Number]]] = {}
    for (task, metric), values in usage_series(rows).items():
        usage.setdefault(metric, {})[task] = values
    return [chart(f"{metric}, % of the node", "minute", tasks) for metric, tasks in usage.items()]


class Axis(NamedTuple):
    """An axis of parallel coordinates; `places` has of each trial how far down it is, 0 to 100, or None."""

    name: str
    low: str
    high: str
    places: Sequence[Number]

    @classmethod
    def of(cls, name: str, values: Sequence[Any]) -> "Axis":
        """Numbers by their size, logarithmic over more than two decades; other values by their names."""
        texts = sorted({str(value) for value in values if value not in (None, "")})
        numbers = {text: number for text in texts if (number := number_in(text)) is not None and math.isfinite(number)}
        if len(numbers) < len(texts):
            numbers = {text: float(place) for place, text in enumerate(texts)}
        ordered = sorted(numbers, key=lambda text: numbers[text]) or [""]
        low, high = numbers.get(ordered[0], 0.0), numbers.get(ordered[-1], 0.0)
        if low > 0 and high >= LOGARITHMIC_FROM * low:
            low, high, numbers = math.log(low), math.log(high), {text: math.log(each) for text, each in numbers.items()}
        span = high - low
        found = [numbers.get(str(value)) for value in values]
        places = [None if each is None else 100 - 100 * (each - low) / span if span else 50 for each in found]
        return cls(name, short(ordered[0]), short(ordered[-1]), places)


def parallel_axes(ranking: Ranking) -> list[Axis]:
    """An axis for each hyperparameter and then for each metric of a search."""
    trials = [configuration(row) for row in ranking.rows]
    axes = [
        Axis.of(name, [trial.get(name) for trial in trials]) for name in dict.fromkeys(n for t in trials for n in t)
    ]
    return axes + [Axis.of(name, [row.get(name) for row in ranking.rows]) for name in ranking.metrics]


def parallel_lines(axes: Sequence[Axis]) -> list[str]:
    """Of each trial the points of its line in a square of 100, through the axes on which it has a value."""
    width = 100 / max(len(axes), 1)
    return [
        " ".join(f"{width * (index + 0.5):.2f},{place:.2f}" for index, place in enumerate(places) if place is not None)
        for places in zip(*(axis.places for axis in axes), strict=True)
    ]

"""Charts as tables of numbers, which a script draws on pages, and as lines of SVG, for files without scripts."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from modelarts_toolkit.curves.curves import Curve

Number = float | None


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


def usage_charts(series: Mapping[tuple[str, str], Sequence[Number]]) -> list[Chart]:
    """A chart for each metric of the nodes, with a line for each task; `series` has the values by task and metric."""
    usage: dict[str, dict[str, Sequence[Number]]] = {}
    for (task, metric), values in series.items():
        usage.setdefault(metric, {})[task] = values
    return [chart(f"{metric}, % of the node", "minute", tasks) for metric, tasks in usage.items()]

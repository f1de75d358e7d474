"""Curves of training: series of numbers that a job reports or prints, such as `loss: 0.31`."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeGuard

from modelarts_toolkit.reading import entries, present

if TYPE_CHECKING:
    from modelarts_api.v2.models import FineTuningChart, FineTuningMetrics

MOST_VALUES = 2000  # of a curve; a longer one keeps every second, fourth, ... value
MOST_CURVES = 50  # of a log
LONGEST_LINE = 2000  # characters that are read

# Names of counters, which are not results.
_COUNTERS = re.compile(r"epochs?|steps?|iter(ation)?s?|lines?|batch(es)?|rank|worker|index", re.IGNORECASE)
_SMALLER_IS_BETTER = re.compile(
    r"loss|error|perplexity|(?<![a-z])(err|ppl|r?mse|mae|mape|wer|cer|fid|nll)(?![a-z])", re.IGNORECASE
)

_NAME = r"(?<![\w./%-])['\"]?(?P<{}>[A-Za-z]\w*(?:[./-]\w+)*)['\"]?"
_VALUE = r"(?P<{}>[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|nan|inf))(?![\w./:-])"
_WITH_SIGN = re.compile(_NAME.format("name") + r"\s*[:=]\s*" + _VALUE.format("value"))
# Without a sign between them, another pair or no word must follow: otherwise the line may be prose.
_NEXT = r"(?=\s*(?:%\s*)?(?:$|[,;|()\[\]-]|[A-Za-z][\w./-]*\s*[:=\s]\s*[-+.\d]))"
_PLAIN = re.compile(_NAME.format("name") + r"\s+" + _VALUE.format("value") + _NEXT)
_TASK = re.compile(r"\[(?P<task>[a-z]+-\d+)\] ")
_PLATFORM = "[ModelArts Service Log]"
_FIRST_TASK = "worker-0"


def is_smaller_better(name: str) -> bool:
    """Whether the best value of a metric is its smallest one, as the name suggests: `val_loss`, `val/rmse`."""
    return _SMALLER_IS_BETTER.search(name) is not None


@dataclass(slots=True)
class Curve:
    """The values of one metric in order; first, last, best and count consider also values that were thinned out."""

    name: str
    values: list[float] = field(default_factory=list)
    first: float = math.nan
    last: float = math.nan
    best: float = math.nan
    count: int = 0
    _step: int = field(default=1, repr=False)

    def add(self, value: float) -> None:
        """Add a value; one that is not finite is never the best."""
        if self.count == 0:
            self.first = value
        self.last = value
        if math.isfinite(value) and not (self.best <= value if is_smaller_better(self.name) else self.best >= value):
            self.best = value
        if self.count % self._step == 0:
            self.values.append(value)
            if len(self.values) > MOST_VALUES:
                self.values, self._step = self.values[::2], self._step * 2
        self.count += 1

    def to_dict(self) -> dict[str, float | None]:
        """Return the numbers as a JSON object; None for those that are not finite."""
        numbers = {"first": self.first, "best": self.best, "last": self.last, "count": self.count}
        return {name: value if math.isfinite(value) else None for name, value in numbers.items()}


class Curves:
    """Collects the curves of a log, line by line, in the order in which they first appear."""

    def __init__(self, lines: Iterable[str] = ()) -> None:
        self._curves: dict[str, Curve] = {}
        for line in lines:
            self.add(line)

    def add(self, line: str) -> None:
        """Read the `name value`, `name=value` and `name: value` pairs of a line."""
        if _PLATFORM in line:
            return
        task = _TASK.match(line)
        prefix = f"{task['task']} " if task and task["task"] != _FIRST_TASK else ""
        for name, value in pairs(line[task.end() if task else 0 : LONGEST_LINE]):
            key = prefix + name
            if key in self._curves or len(self._curves) < MOST_CURVES:
                self._curves.setdefault(key, Curve(key)).add(value)

    def found(self, *, fewest: int = 1) -> dict[str, Curve]:
        """Return the curves with at least `fewest` values, by name."""
        return {name: curve for name, curve in self._curves.items() if curve.count >= fewest}


def pairs(line: str) -> Iterator[tuple[str, float]]:
    """Yield the names and numbers in a line such as `epoch 3/5 loss 0.31 accuracy=0.9`, without counters."""
    signed = [*_WITH_SIGN.finditer(line)]
    taken = [each.span() for each in signed]
    plain = (
        each
        for each in _PLAIN.finditer(line)
        if not any(start < each.end() and each.start() < end for start, end in taken)
    )
    for each in sorted([*signed, *plain], key=lambda match: match.start()):
        if not _COUNTERS.fullmatch(each["name"]):
            yield each["name"], float(each["value"])


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
        members: Mapping[str, object] = point if isinstance(point, dict) else {}
        group = " ".join(str(members.get(name)) for name in groups)
        for metric, value in members.items():
            if _is_number(value) and metric not in (chart.x_axis, *groups):
                yield f"{metric} {group}".strip(), value


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)

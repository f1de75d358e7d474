"""Columns of a list of jobs: fields, parameters and metrics; conditions and an order by them.

A column is named by its key: a field such as `created`, the name of a parameter, or `best:` or `last:` and the name of
a metric. `parameter:` before a name makes it that of a parameter, such as of one that is called `created`.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import eq, ge, gt, le, lt, ne
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from modelarts_toolkit.jobs.info import JobInfo
from modelarts_toolkit.texts import nearest, number_text

if TYPE_CHECKING:
    from modelarts_toolkit.curves.curves import Curve

T = TypeVar("T")
Value: TypeAlias = float | str
Curves: TypeAlias = "Mapping[str, Curve] | None"
"""The curves of a job by name; None if they are not known."""

FIELDS: Mapping[str, Callable[[JobInfo], Value | None]] = {
    "name": lambda job: job.name,
    "id": lambda job: job.id,
    "phase": lambda job: job.phase,
    "created": lambda job: None if job.created_at is None else job.created_at.timestamp(),
    "ran": lambda job: None if job.running_time is None else job.running_time.total_seconds(),
}
PARAMETER, METRICS = "parameter", ("best", "last")
_SHARES = frozenset(("accuracy", "acc", "precision", "recall", "f1", "auc", "auroc", "iou", "miou", "map", "dice"))
"""Metrics that some scripts print in percent."""
_PARTS, _BESIDE = re.compile(r"(?:[^\s_/:@.-]|\.(?=\d))+"), re.compile(r"(?<!\d) | (?!\d)")
_NUMBER = re.compile(r"[-+]?(?:(?P<whole>\d{1,300})|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)", re.ASCII)
_OPERATORS: Mapping[str, Callable[[Any, Any], bool]]
_OPERATORS = {"<": lt, "<=": le, ">": gt, ">=": ge, "=": eq, "==": eq, "!=": ne}
_QUOTED = r'"(?:[^"]|"")+"'
_CONDITION = re.compile(
    rf'\s*(?P<name>{_QUOTED}\s*|[^\s<>=!"][^<>=!"]*)(?P<operator>[<>!]=|==?|[<>])\s*(?P<value>{_QUOTED}|[^\s"<>=]+)(?!\S)'
)


@dataclass(frozen=True, slots=True)
class Column:
    """A field (`kind` is empty), a parameter, or the best or last value of a metric."""

    kind: str
    name: str

    @classmethod
    def parse(cls, key: str) -> "Column":
        """Return the column with this key; raises ValueError if it is empty."""
        if not key:
            raise ValueError("a column has a name: write that of a parameter, best:METRIC or last:METRIC")
        kind, _, name = key.partition(":")
        if name and kind in (PARAMETER, *METRICS):
            return cls(kind, name)
        return cls("" if key in FIELDS else PARAMETER, key)

    @property
    def key(self) -> str:
        """The text of which `parse` makes this column; it never begins with a minus."""
        is_enough = Column.parse(self.name) == self and not self.name.startswith("-")
        return self.name if is_enough else f"{self.kind}:{self.name}"

    @property
    def title(self) -> str:
        """Its heading, such as `lr` and `best loss`."""
        return f"{self.kind} {self.name}" if self.is_metric else self.key

    @property
    def is_metric(self) -> bool:
        """Whether its values are in the curves of the jobs."""
        return self.kind in METRICS

    @property
    def is_largest_best(self) -> bool:
        """Whether it is of a metric, and its name says for sure that the largest value is the best."""
        from modelarts_toolkit.curves.metric_lines import facts  # only if there are metrics

        return self.is_metric and facts(self.name).best == "max"

    def value(self, job: JobInfo, curves: Curves) -> Value | None:
        """Return a finite number (of seconds, for times) or a text, such as `adam` and `nan`; None if it is missing."""
        if not self.kind:
            return FIELDS[self.name](job)
        if not self.is_metric:
            return _value(self.text(job, curves))
        curve = self._curve(curves or {})
        if curve is None or (self.kind == "best" and not curve.has_best):
            return None
        number: float = getattr(curve, self.kind)
        return number if math.isfinite(number) else number_text(number)

    def _curve(self, curves: "Mapping[str, Curve]") -> "Curve | None":
        if self.name in curves:
            return curves[self.name]
        found = [curve for name, curve in curves.items() if spelled_alike(name) == spelled_alike(self.name)]
        return found[0] if len(found) == 1 else None

    def among(self, columns: "Iterable[Column]") -> "Column":
        """Return the one of the columns with the same metric under another spelling; else this one."""
        alike = [c for c in columns if c.kind == self.kind and spelled_alike(c.name) == spelled_alike(self.name)]
        return alike[0] if self.is_metric and len(alike) == 1 else self

    def text(self, job: JobInfo, curves: Curves) -> str:
        """Return a parameter as it was given, and a metric with four digits; empty if it is missing."""
        found = _parameters(job).get(self.name) if self.kind == PARAMETER else self.value(job, curves)
        return number_text(found) if isinstance(found, float) else "" if found is None else str(found)


@dataclass(frozen=True, slots=True)
class Condition:
    """What a column of a job has to be, such as `lr>0.01`; a missing value fulfils none."""

    column: Column
    operator: str
    wanted: Value | None

    def matches(self, job: JobInfo, curves: Curves) -> bool:
        """Whether it is fulfilled: numbers are compared with numbers and texts with texts; others only differ."""
        value = self.column.value(job, curves)
        if isinstance(value, str) != isinstance(self.wanted, str):
            return value is not None and self.operator == "!="
        return value is not None and _OPERATORS[self.operator](value, self.wanted)


def conditions(text: str) -> list[Condition]:
    """Read conditions with spaces between them, such as `lr>0.01 best:val loss<0.3 optimizer="my adam"`.

    Names and values may be quoted, with `""` for a quote. Raises ValueError for what is none.
    """
    found, start = [], 0
    while rest := text[start:].strip():
        match = _CONDITION.match(text, start)
        if match is None:
            ways = "a parameter, best:METRIC or last:METRIC, then < <= > >= = or !=, and a value, such as lr>0.01"
            raise ValueError(f"{rest!r} is not a condition: write {ways}")
        column, wanted = Column.parse(_unquoted(match["name"])), _value(_unquoted(match["value"]))
        found.append(Condition(column, match["operator"], wanted))
        start = match.end()
    return found


def metrics_of(job: JobInfo, curves: "Mapping[str, Curve]") -> "dict[str, Curve]":
    """Return the curves of a job without its parameters that it only repeats."""
    given = _parameters(job)
    return {name: curve for name, curve in curves.items() if name not in given or not curve.is_constant}


@lru_cache(maxsize=4096)
def spelled_alike(name: str) -> str:
    """Return what the spellings of a name have in common, such as `trainloss` for `train_loss` and `Train/Loss`."""
    return _BESIDE.sub("", " ".join(_PARTS.findall(name.casefold()))) or name


def metrics_beside(jobs: Sequence[JobInfo], curves: Sequence[Curves]) -> "list[dict[str, Curve]]":
    """Return the metrics of each job, under one name for all its spellings: that of the newest job.

    If one of the jobs has several of these spellings, they may be different metrics, and all names stay.
    """
    found = [metrics_of(job, known or {}) for job, known in zip(jobs, curves, strict=True)]
    names: dict[str, str] = {}
    unsure: set[str] = set()
    for place in sorted(range(len(jobs)), key=lambda place: str(jobs[place].created_at or ""), reverse=True):
        alike = [*map(spelled_alike, found[place])]
        unsure |= {each for each, count in Counter(alike).items() if count > 1}
        names = {**dict(zip(alike, found[place], strict=True)), **names}
    return [
        {name if (key := spelled_alike(name)) in unsure else names[key]: curve for name, curve in metrics.items()}
        for metrics in found
    ]


def is_mixed(name: str, values: Iterable[object]) -> bool:
    """Whether some values of a metric may be percentages and others shares of one, which are not compared."""
    from modelarts_toolkit.curves.metric_lines import metric_of  # only if there are metrics

    numbers = [value for value in values if isinstance(value, float) and math.isfinite(value)]
    return min(numbers, default=2) <= 1 < max(numbers, default=0) and not _SHARES.isdisjoint(metric_of(name).split())


def unsortable(column: Column, values: Iterable[object]) -> str:
    """Return a sentence that says why jobs are not sorted by a column with these values; empty if they are."""
    if not column.is_metric or not is_mixed(column.name, values):
        return ""
    return f"Not sorted by {column.title}: some values may be percentages, and others shares of one."


def offered(jobs: Sequence[JobInfo], curves: Sequence[Curves]) -> list[Column]:
    """Return the parameters that differ among the jobs, then best and last of each metric in their curves."""
    given = [_parameters(job) for job in jobs if job.has_settings]
    names = dict.fromkeys(name for each in given for name in each)
    found = [Column(PARAMETER, name) for name in names if len({repr(each.get(name)) for each in given}) > 1]
    has_best: dict[str, bool] = {}
    for metrics in metrics_beside(jobs, curves):
        for name, curve in metrics.items():
            has_best[name] = has_best.get(name, False) or curve.has_best
    return found + [Column(kind, name) for name in has_best for kind in METRICS if kind == "last" or has_best[name]]


def absent(columns: Iterable[Column], jobs: Sequence[JobInfo], curves: Sequence[Curves]) -> list[str]:
    """Return a sentence for each column of which none of the jobs has a value, with the nearest one that exists."""
    missing = [c for c in columns if jobs and all(c.value(*row) is None for row in zip(jobs, curves, strict=True))]
    if not missing:
        return []
    known = {*(name for job in jobs for name in _parameters(job)), *(each.key for each in offered(jobs, curves))}
    return [f"No job has a value of {c.key}{nearest(c.key, known, ': did you mean {}?') or '.'}" for c in missing]


def order(rows: Sequence[T], value: Callable[[T], Value | None], *, is_descending: bool = False) -> list[T]:
    """Sort by a value: numbers, then texts, and last what has none, also when the largest comes first."""
    found = [(value(row), row) for row in rows]
    known = [each for each in found if each[0] is not None]
    known.sort(key=lambda each: (isinstance(each[0], str) != is_descending, each[0]), reverse=is_descending)
    return [row for _, row in known] + [row for value, row in found if value is None]


def _parameters(job: JobInfo) -> dict[str, Any]:
    return job.parameters if job.has_settings else {}


def _value(text: str) -> Value | None:
    """Return the number that a text is, exact for a whole one, another text unchanged, and None for an empty one."""
    if match := _NUMBER.fullmatch(text):
        number = int(text) if match["whole"] else float(text)
        return number if math.isfinite(number) else text
    return text or None


def _unquoted(text: str) -> str:
    text = text.strip()
    return text[1:-1].replace('""', '"') if text[:1] == '"' else text

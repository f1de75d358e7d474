"""Columns of a list of jobs: fields, parameters and metrics; conditions and an order by them.

A column is named by its key: a field such as `created`, the name of a parameter, or `best:` or `last:` and the name of
a metric. `parameter:` before a name makes it that of a parameter, such as of one that is called `created`.
"""

import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from modelarts_toolkit.jobs.info import JobInfo
from modelarts_toolkit.texts import lasted, nearest, number_text, when

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
PARAMETER = "parameter"
METRICS = ("best", "last")
_PREFIXES = tuple(f"{kind}:" for kind in (PARAMETER, *METRICS))
_NUMBER = re.compile(r"[-+]?(?:(?P<whole>\d{1,300})|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|inf)", re.ASCII)
_OPERATORS: Mapping[str, Callable[[Value, Value], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "=": operator.eq,
}
_QUOTED = r'"(?:[^"]|"")*"'
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
        """Return the column with this key; raises ValueError for one without a name."""
        kind, colon, name = key.partition(":")
        if not colon or kind not in (PARAMETER, *METRICS):
            kind, name = "" if key in FIELDS else PARAMETER, key
        if not name:
            raise ValueError(f'"{key}" names no column: write the name of a parameter, best:METRIC or last:METRIC')
        return cls(kind, name)

    @property
    def key(self) -> str:
        """The text of which `parse` makes this column; it never begins with a minus."""
        if self.kind == PARAMETER and self.name not in FIELDS and not self.name.startswith(("-", *_PREFIXES)):
            return self.name
        return f"{self.kind}:{self.name}" if self.kind else self.name

    @property
    def title(self) -> str:
        """Its heading, such as `lr` and `best loss`."""
        return f"{self.kind} {self.name}" if self.is_metric else self.key

    @property
    def is_metric(self) -> bool:
        """Whether its values are in the curves of the jobs."""
        return self.kind in METRICS

    def value(self, job: JobInfo, curves: Curves) -> Value | None:
        """Return a number (of seconds, for times), or a text, such as `adam` and `nan`; None if it is missing."""
        found: Value | None
        if not self.kind:
            found = FIELDS[self.name](job)
        elif self.is_metric:
            curve = (curves or {}).get(self.name)
            found = None if curve is None or (self.kind == "best" and not curve.has_best) else getattr(curve, self.kind)
        else:
            text = job.parameters.get(self.name) if job.has_settings else None
            found = None if text is None else _value(str(text))
        return "nan" if isinstance(found, float) and math.isnan(found) else found

    def text(self, job: JobInfo, curves: Curves) -> str:
        """Return the value as people read it: a parameter as it was given, other numbers with four digits."""
        if self.kind == PARAMETER:
            found = job.parameters.get(self.name) if job.has_settings else None
            return "" if found is None else str(found)
        if self.name in ("created", "ran") and not self.kind:
            return when(job.created_at) if self.name == "created" else lasted(job.running_time)
        value = self.value(job, curves)
        return number_text(value) if isinstance(value, float | int) else value or ""


@dataclass(frozen=True, slots=True)
class Condition:
    """What a column of a job has to be, such as `lr>0.01`; a missing value fulfils none."""

    column: Column
    operator: str
    wanted: Value

    def matches(self, job: JobInfo, curves: Curves) -> bool:
        """Whether it is fulfilled: numbers are compared with numbers and texts with texts; others only differ."""
        value = self.column.value(job, curves)
        if value is None:
            return False
        if isinstance(value, str) != isinstance(self.wanted, str):
            return self.operator == "!="
        return _OPERATORS[self.operator](value, self.wanted)


def conditions(text: str) -> list[Condition]:
    """Read conditions with spaces between them, such as `lr>0.01 best:val loss<0.3 optimizer="my adam"`.

    Names and values may be quoted, with `""` for a quote. Raises ValueError for what is none.
    """
    found, start = [], 0
    while text[start:].strip():
        match = _CONDITION.match(text, start)
        if match is None:
            raise ValueError(
                f"{text[start:].strip()!r} is not a condition: write a parameter, best:METRIC or last:METRIC, "
                f"then {' '.join(_OPERATORS)}, and a value, such as lr>0.01"
            )
        column, sign = Column.parse(_unquoted(match["name"])), match["operator"].replace("==", "=")
        found.append(Condition(column, sign, _value(_unquoted(match["value"]))))
        start = match.end()
    return found


def metrics_of(job: JobInfo, curves: "Mapping[str, Curve]") -> "dict[str, Curve]":
    """Return the curves of a job without its parameters that it only repeats."""
    parameters = job.parameters if job.has_settings else {}
    return {name: curve for name, curve in curves.items() if name not in parameters or not curve.is_constant}


def offered(jobs: Sequence[JobInfo], curves: "Sequence[Mapping[str, Curve] | None]") -> list[Column]:
    """Return the parameters that differ among the jobs, then best and last of each metric in their curves."""
    parameters = [job.parameters for job in jobs if job.has_settings]
    names = dict.fromkeys(name for each in parameters for name in each)
    found = [Column(PARAMETER, name) for name in names if len({repr(each.get(name)) for each in parameters}) > 1]
    has_best: dict[str, bool] = {}
    for job, known in zip(jobs, curves, strict=True):
        for name, curve in metrics_of(job, known or {}).items():
            has_best[name] = has_best.get(name, False) or curve.has_best
    return found + [Column(kind, name) for name in has_best for kind in METRICS if kind == "last" or has_best[name]]


def absent(
    columns: Iterable[Column], jobs: Sequence[JobInfo], curves: "Sequence[Mapping[str, Curve] | None]"
) -> list[str]:
    """Return a sentence for each column of which none of the jobs has a value, with the nearest one that exists."""
    rows = [*zip(jobs, curves, strict=True)]
    known = {name for job in jobs if job.has_settings for name in job.parameters}
    known.update(column.key for column in offered(jobs, curves))
    return [
        f"No job has a value of {column.key}{nearest(column.key, known, ': did you mean {}?') or '.'}"
        for column in columns
        if rows and all(column.value(*row) is None for row in rows)
    ]


def order(rows: Iterable[T], value: Callable[[T], Value | None], *, is_descending: bool = False) -> list[T]:
    """Sort by a value: numbers, then texts, and last what has none, also when the largest comes first."""
    groups: tuple[list[tuple[Value, T]], ...] = ([], [])
    missing = []
    for row in rows:
        found = value(row)
        if found is None:
            missing.append(row)
        else:
            groups[isinstance(found, str)].append((found, row))
    for group in groups:
        group.sort(key=operator.itemgetter(0), reverse=is_descending)
    return [row for group in groups for _, row in group] + missing


def _value(text: str) -> Value:
    """Return the number that a text is, exact for a whole one; other texts unchanged."""
    match = _NUMBER.fullmatch(text)
    if match is None:
        return text
    return int(text) if match["whole"] else float(text)


def _unquoted(text: str) -> str:
    text = text.strip()
    return text[1:-1].replace('""', '"') if text[:1] == '"' else text

"""Compare jobs of a project by settings, hyperparameters, metrics and result."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from modelarts_toolkit.jobs.columns import METRICS, Column, is_mixed, metrics_beside
from modelarts_toolkit.jobs.info import JobInfo
from modelarts_toolkit.jobs.state import COMPLETED
from modelarts_toolkit.jobs.tables import Rows
from modelarts_toolkit.texts import lasted, when

if TYPE_CHECKING:
    from modelarts_toolkit.curves.curves import Curve


class MetricRow(NamedTuple):
    """The best or last values of a metric, empty for a job without it; `best` are the places of the best of them."""

    column: Column
    texts: Sequence[str]
    best: frozenset[int]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Jobs side by side, in the order in which they were given; `curves` has the metrics of each by name.

    `parameters` and `settings` have only those that differ, with the value of each job, None if a job has none.
    `reasons` are sentences that say why jobs failed, empty where that is not known.
    """

    jobs: tuple[JobInfo, ...]
    curves: "tuple[Mapping[str, Curve], ...]"
    reasons: tuple[str, ...] = ()

    @property
    def results(self) -> tuple[str, ...]:
        """Why each job ended; empty for one that has not ended, and for one that completed."""
        return tuple(map(_result_of, self.jobs, self.reasons or [""] * len(self.jobs)))

    @property
    def parameters(self) -> dict[str, tuple[Any, ...]]:
        """The hyperparameters that differ."""
        return _differing(job.parameters for job in self.jobs)

    @property
    def settings(self) -> dict[str, tuple[Any, ...]]:
        """The settings that differ, such as the flavor."""
        return _differing(map(_settings_of, self.jobs))

    @property
    def same(self) -> dict[str, Any]:
        """The settings and hyperparameters that all jobs have, and that are the same."""
        each = [{**_settings_of(job), **job.parameters} for job in self.jobs]
        return {name: values[0] for name, values in _beside(each).items() if values[0] and not _differ(values)}

    @property
    def metrics(self) -> "dict[str, tuple[Curve | None, ...]]":
        """The curves of all jobs by the names of the metrics, without a job's parameters that the job only repeats."""
        return _beside(metrics_beside(self.jobs, self.curves))

    @property
    def metric_rows(self) -> list[MetricRow]:
        """The best and the last values of each metric, without the best where it is not sure which value is best."""
        rows = [self._row(Column(kind, name), curves) for name, curves in self.metrics.items() for kind in METRICS]
        return [row for row in rows if any(row.texts)]

    def _row(self, column: Column, curves: "Sequence[Curve | None]") -> MetricRow:
        known = [(job, {column.name: curve} if curve else None) for job, curve in zip(self.jobs, curves, strict=True)]
        values = [column.value(*each) for each in known]
        return MetricRow(column, [column.text(*each) for each in known], best_places(column.name, values))

    def rows(self, ids: Mapping[str, str] | None = None) -> Rows:
        """Return the table of `modelarts job compare`, with a column for each job; `ids` replace the whole ones."""
        lines: dict[str, Iterable[Any]] = {
            "name": [job.name for job in self.jobs],
            "id": [(ids or {}).get(job.id, job.id) for job in self.jobs],
            "phase": [job.phase for job in self.jobs],
            "created": [when(job.created_at) for job in self.jobs],
            "ran": [lasted(job.running_time) for job in self.jobs],
            **({"result": self.results} if any(self.results) else {}),
            **{name.replace("_", " "): values for name, values in self.settings.items()},
            **{f"parameter {name}": values for name, values in self.parameters.items()},
            **{row.column.title: row.texts for row in self.metric_rows},
        }
        return Rows(
            {"of": what, **{f"job {number}": value for number, value in enumerate(values, 1)}}
            for what, values in lines.items()
        )

    def _repr_html_(self) -> str:
        return self.rows()._repr_html_()

    def to_dict(self) -> dict[str, Any]:
        """Return the jobs and their differences as a JSON object; durations are in seconds."""
        jobs = [
            {
                "id": job.id,
                "name": job.name,
                "phase": job.phase,
                "result": result,
                "created_at": job.created_at.isoformat() if job.created_at else None,
                "duration": job.running_time.total_seconds() if job.running_time is not None else None,
                "parameters": job.parameters,
                "settings": _settings_of(job),
                "metrics": {name: curve.to_dict() for name, curve in curves.items()},
            }
            for job, curves, result in zip(self.jobs, self.curves, self.results, strict=True)
        ]
        differing = {"parameters": self.parameters, "settings": self.settings}
        lists = {what: {name: [*values] for name, values in each.items()} for what, each in differing.items()}
        return {"jobs": jobs, **lists}


def best_places(name: str, values: Sequence[object]) -> frozenset[int]:
    """Return the places of the best values of a metric, more than one if they are equal.

    None if the name does not say for sure what is better, such as of a rate; if fewer than two jobs have a number, if
    all are equal, and if some may be percentages and others shares of one.
    """
    from modelarts_toolkit.curves.metric_lines import facts  # only if there are metrics

    better = facts(name).best
    known = {place: value for place, value in enumerate(values) if isinstance(value, float) and math.isfinite(value)}
    low, high = min(known.values(), default=0), max(known.values(), default=0)
    if not better or is_mixed(name, values) or low == high:
        return frozenset()
    best = low if better == "min" else high
    return frozenset(place for place, value in known.items() if value == best)


def _result_of(job: JobInfo, reason: str) -> str:
    return (reason or job.explanation) if job.is_terminal and job.phase != COMPLETED else ""


def _settings_of(job: JobInfo) -> dict[str, Any]:
    boot = job.boot_file.removeprefix(job.code)
    return {"flavor": job.flavor, "nodes": job.nodes, "engine": job.engine, "code": job.code, "boot_file": boot}


def _beside(parts: Iterable[Mapping[str, Any]]) -> dict[str, tuple[Any, ...]]:
    """Return the names in any of the parts, each with the values of all."""
    known = [*parts]
    names = dict.fromkeys(name for part in known for name in part)
    return {name: tuple(part.get(name) for part in known) for name in names}


def _differing(parts: Iterable[Mapping[str, Any]]) -> dict[str, tuple[Any, ...]]:
    return {name: each for name, each in _beside(parts).items() if _differ(each)}


def _differ(values: Sequence[Any]) -> bool:
    return any(value != values[0] for value in values)

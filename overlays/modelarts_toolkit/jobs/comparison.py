"""Compare jobs of a project by settings, hyperparameters, metrics and result."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from modelarts_toolkit.jobs.info import JobInfo
from modelarts_toolkit.jobs.state import COMPLETED
from modelarts_toolkit.jobs.tables import Rows
from modelarts_toolkit.texts import lasted, when

if TYPE_CHECKING:
    from modelarts_toolkit.curves.curves import Curve


@dataclass(frozen=True, slots=True)
class Comparison:
    """Jobs side by side, in the order in which they were given; `curves` has the metrics of each by name.

    `parameters` and `settings` have only those that differ, with the value of each job, None if a job has none.
    """

    jobs: tuple[JobInfo, ...]
    curves: "tuple[Mapping[str, Curve], ...]"

    @property
    def results(self) -> tuple[str, ...]:
        """Why each job ended, or its last phase; empty for a job that has not ended."""
        return tuple(map(_result_of, self.jobs))

    @property
    def parameters(self) -> dict[str, tuple[Any, ...]]:
        """The hyperparameters that differ."""
        return _differing(job.parameters for job in self.jobs)

    @property
    def settings(self) -> dict[str, tuple[Any, ...]]:
        """The settings that differ, such as the flavor."""
        return _differing(map(_settings_of, self.jobs))

    @property
    def metrics(self) -> "dict[str, tuple[Curve | None, ...]]":
        """The curves of all jobs by the names of the metrics, without a job's parameters that the job only repeats."""
        return _beside(
            {name: curve for name, curve in curves.items() if name not in job.parameters or not curve.is_constant}
            for job, curves in zip(self.jobs, self.curves, strict=True)
        )

    def rows(self, ids: Mapping[str, str] | None = None) -> Rows:
        """Return the table of `modelarts job compare`, with a column for each job; `ids` replace the whole ones."""
        lines: dict[str, Iterable[Any]] = {
            "name": [job.name for job in self.jobs],
            "id": [(ids or {}).get(job.id, job.id) for job in self.jobs],
            "phase": [job.phase for job in self.jobs],
            "created": [when(job.created_at) for job in self.jobs],
            "ran": [lasted(job.running_time) for job in self.jobs],
            "result": self.results,
            **{name.replace("_", " "): values for name, values in self.settings.items()},
            **{f"parameter {name}": values for name, values in self.parameters.items()},
        }
        for name, curves in self.metrics.items():
            if any(curve and curve.has_best for curve in curves):
                lines[f"best {name}"] = [curve and (f"{curve.best:.4g}" if curve.has_best else "") for curve in curves]
            lines[f"last {name}"] = [curve and f"{curve.last:.4g}" for curve in curves]
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
                "result": _result_of(job),
                "created_at": job.created_at.isoformat() if job.created_at else None,
                "duration": job.running_time.total_seconds() if job.running_time is not None else None,
                "parameters": job.parameters,
                "settings": _settings_of(job),
                "metrics": {name: curve.to_dict() for name, curve in curves.items()},
            }
            for job, curves in zip(self.jobs, self.curves, strict=True)
        ]
        differing = {"parameters": self.parameters, "settings": self.settings}
        lists = {what: {name: [*values] for name, values in each.items()} for what, each in differing.items()}
        return {"jobs": jobs, **lists}


def _result_of(job: JobInfo) -> str:
    explanation = job.explanation if job.phase != COMPLETED else ""
    return (explanation or job.phase or "") if job.is_terminal else ""


def _settings_of(job: JobInfo) -> dict[str, Any]:
    boot = job.boot_file.removeprefix(job.code)
    return {"flavor": job.flavor, "nodes": job.nodes, "engine": job.engine, "code": job.code, "boot_file": boot}


def _beside(parts: Iterable[Mapping[str, Any]]) -> dict[str, tuple[Any, ...]]:
    """Return the names in any of the parts, each with the values of all."""
    known = [*parts]
    names = dict.fromkeys(name for part in known for name in part)
    return {name: tuple(part.get(name) for part in known) for name in names}


def _differing(parts: Iterable[Mapping[str, Any]]) -> dict[str, tuple[Any, ...]]:
    return {name: each for name, each in _beside(parts).items() if any(value != each[0] for value in each)}

"""Compare jobs of a project by settings, hyperparameters, metrics and result."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from .curves import Curve
from .info import JobInfo
from .state import COMPLETED


@dataclass(frozen=True, slots=True)
class ComparedJob:
    """One of the jobs; `result` is empty until it has ended, `curves` has its metrics by name."""

    id: str
    name: str
    phase: str
    result: str
    created_at: datetime | None
    duration: timedelta | None
    parameters: Mapping[str, Any]
    settings: Mapping[str, Any]
    curves: Mapping[str, Curve]

    @classmethod
    def of(cls, job: JobInfo, curves: Mapping[str, Curve]) -> "ComparedJob":
        settings = {
            "flavor": job.flavor,
            "nodes": job.nodes,
            "engine": job.engine,
            "code": job.code,
            "boot_file": job.boot_file.removeprefix(job.code),
        }
        explanation = job.explanation if job.phase != COMPLETED else ""
        return cls(
            id=job.id,
            name=job.name,
            phase=job.phase,
            result=(explanation or job.phase) if job.is_terminal else "",
            created_at=job.created_at,
            duration=job.running_time,
            parameters=job.parameters,
            settings=settings,
            curves=curves,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the job as a JSON object; the duration is in seconds."""
        return {
            "id": self.id,
            "name": self.name,
            "phase": self.phase,
            "result": self.result,
            "created_at": self.created_at.isoformat() if self.created_at else None,
            "duration": self.duration.total_seconds() if self.duration is not None else None,
            "parameters": dict(self.parameters),
            "settings": dict(self.settings),
            "metrics": {name: curve.to_dict() for name, curve in self.curves.items()},
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """Jobs side by side, in the order in which they were given.

    `parameters` and `settings` have only those that differ, with the value of each job, None if a job has none.
    `metrics` has all metrics, with the curve of each job.
    """

    jobs: tuple[ComparedJob, ...]

    @property
    def parameters(self) -> dict[str, tuple[Any, ...]]:
        """The hyperparameters that differ."""
        return _differing(self._beside(lambda job: job.parameters))

    @property
    def settings(self) -> dict[str, tuple[Any, ...]]:
        """The settings that differ, such as the flavor."""
        return _differing(self._beside(lambda job: job.settings))

    @property
    def metrics(self) -> dict[str, tuple[Curve | None, ...]]:
        """The curves of all jobs by the names of the metrics."""
        return self._beside(lambda job: job.curves)

    def to_dict(self) -> dict[str, Any]:
        """Return the jobs and their differences as a JSON object."""
        return {
            "jobs": [job.to_dict() for job in self.jobs],
            "parameters": {name: [*values] for name, values in self.parameters.items()},
            "settings": {name: [*values] for name, values in self.settings.items()},
        }

    def _beside(self, part: Callable[[ComparedJob], Mapping[str, Any]]) -> dict[str, tuple[Any, ...]]:
        """Return the names in any of the jobs, each with the values of all jobs."""
        names = dict.fromkeys(name for job in self.jobs for name in part(job))
        return {name: tuple(part(job).get(name) for job in self.jobs) for name in names}


def compare(jobs: Iterable[JobInfo], curves: Sequence[Mapping[str, Curve]] = ()) -> Comparison:
    """Compare jobs of either version from their newest responses and their curves."""
    known = [*jobs]
    found = [*curves] or [{} for _ in known]
    return Comparison(tuple(ComparedJob.of(job, each) for job, each in zip(known, found, strict=True)))


def _differing(values: Mapping[str, tuple[Any, ...]]) -> dict[str, tuple[Any, ...]]:
    return {name: each for name, each in values.items() if any(value != each[0] for value in each)}

"""What several jobs of a project differ in: settings, hyperparameters, metrics, and how they ended."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from .curves import Curve
from .info import JobInfo


@dataclass(frozen=True, slots=True)
class ComparedJob:
    """One of the jobs; `result` says how it ended, empty before, `curves` are its metrics by their names."""

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
            "boot_file": job.boot_file,
        }
        explanation = job.explanation if job.phase != "Completed" else ""
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
        """The job as JSON has it; the duration in seconds."""
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
    """Jobs beside each other, in the order in which they were given.

    `parameters` and `settings` have those that are not the same everywhere, with the value of each job; None where a
    job has none. `metrics` has every metric, with the curve of each job.
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
        """The jobs, and what differs, as JSON has it."""
        return {
            "jobs": [job.to_dict() for job in self.jobs],
            "parameters": {name: [*values] for name, values in self.parameters.items()},
            "settings": {name: [*values] for name, values in self.settings.items()},
        }

    def _beside(self, part: Callable[[ComparedJob], Mapping[str, Any]]) -> dict[str, tuple[Any, ...]]:
        """Each name in any of the jobs, with the value of each job."""
        names = dict.fromkeys(name for job in self.jobs for name in part(job))
        return {name: tuple(part(job).get(name) for job in self.jobs) for name in names}


def compare(jobs: Iterable[JobInfo], curves: Sequence[Mapping[str, Curve]] = ()) -> Comparison:
    """Compare jobs as they are known, with the curves of each; of version 2, version 1, or both."""
    known = [*jobs]
    found = [*curves] or [{} for _ in known]
    return Comparison(tuple(ComparedJob.of(job, each) for job, each in zip(known, found, strict=True)))


def _differing(values: Mapping[str, tuple[Any, ...]]) -> dict[str, tuple[Any, ...]]:
    return {name: each for name, each in values.items() if any(value != each[0] for value in each)}

"""What models of jobs can do beyond their fields: know their stage, and show themselves in a line or a notebook."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from modelarts_openapi.phases import PHASES_OF_STATUSES, STATUS_NAMES, TERMINAL_PHASES, Phase
from modelarts_runtime.times import instant, lasted, span
from modelarts_runtime.types import value_at, whole_number

_COLUMNS = ("name", "id", "phase", "running time", "created", "flavor", "nodes")


class JobStatusView:
    """Beyond the fields of `JobStatus`."""

    __slots__ = ()

    @property
    def is_terminal(self) -> bool:
        """Whether the job never changes its phase again."""
        return getattr(self, "phase", None) in TERMINAL_PHASES


class StatusNumberView:
    """Beyond the fields of models of version 1 that have a `status`."""

    __slots__ = ()

    @property
    def status_name(self) -> str:
        """What the number in `status` stands for, such as `JOBSTAT_RUNNING`; the number itself if it is unknown."""
        return STATUS_NAMES.get(_number(self), str(getattr(self, "status", None)))

    @property
    def phase(self) -> Phase | None:
        """The phase that a job of version 2 would have; None if the status is unknown."""
        return PHASES_OF_STATUSES.get(_number(self))

    @property
    def is_terminal(self) -> bool:
        """Whether the job never changes its status again."""
        return PHASES_OF_STATUSES.get(_number(self)) in TERMINAL_PHASES


class TrainingJobView:
    """Beyond the fields of `TrainingJob`."""

    __slots__ = ()

    def __str__(self) -> str:
        """Name, begin of the id, phase and running time, such as `digits-1 c7519e20 Completed 6.3 s`."""
        name, job_id, phase, duration, *_ = _cells(self)
        return " ".join(filter(None, (name, job_id[:8], phase, duration)))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"

    def _repr_html_(self) -> str:
        return job_table([self])


class TrainingJobListView:
    """Beyond the fields of `TrainingJobList`."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        items = value_at(self, "items")
        return job_table(items if isinstance(items, list) else [])


def _number(model: object) -> int:
    """The status as a number, -1 for anything else."""
    number = whole_number(getattr(model, "status", None))
    return -1 if number is None else number


def _cells(job: object) -> tuple[str, ...]:
    """What is worth knowing of a job at a glance, in the order of `_COLUMNS`; empty where the service says nothing."""
    duration = span(value_at(job, "status", "duration"), "ms")
    created = instant(value_at(job, "metadata", "create_time"), "ms")
    known = (
        value_at(job, "metadata", "name"),
        value_at(job, "metadata", "id"),
        value_at(job, "status", "phase"),
        lasted(duration),
        f"{created:%Y-%m-%d %H:%M:%S} UTC" if created else None,
        value_at(job, "spec", "resource", "flavor_id"),
        value_at(job, "spec", "resource", "node_count"),
    )
    return tuple("" if value is None else str(value) for value in known)


def job_table(jobs: Iterable[object]) -> str:
    """The jobs as an HTML table."""
    return html_table(_COLUMNS, map(_cells, jobs))


def html_table(columns: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """The cells as an HTML table; None is an empty one."""
    return f"<table>{_row('th', columns)}{''.join(_row('td', cells) for cells in rows)}</table>"


def _row(tag: str, cells: Iterable[object]) -> str:
    texts = ("" if cell is None else escape(str(cell)) for cell in cells)
    return f"<tr>{''.join(f'<{tag}>{text}</{tag}>' for text in texts)}</tr>"

"""The stages of a run, as they divide its time."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import NamedTuple

from modelarts_api.phases import ABNORMAL, FAILED, TERMINATED
from modelarts_api.v2.models import Stage
from modelarts_toolkit.jobs.info import JobInfo

LEAST_PERCENT = 0.3  # of the drawing, for each stage: one of a second is a line beside hours
_EXACTNESS = timedelta(seconds=1)  # of the times of stages
_RESULTS = {FAILED: "failed", ABNORMAL: "failed", TERMINATED: "stopped"}


class StageRow(NamedTuple):
    """A stage of a run: how long it lasted or has lasted, and its place in a drawing, in percent.

    `result` is done, failed, stopped, active, or end for the end itself, which takes no time.
    """

    name: str
    start: datetime | None
    lasted: timedelta | None
    result: str
    left: float = 0.0
    width: float = 0.0


def stage_rows(stages: Iterable[Stage], job: JobInfo, now: datetime) -> list[StageRow]:
    """The stages of a run at this time of the service; the last one before the end is the one that a job failed in."""
    rows = [(str(stage.name or ""), _time(stage.start_time), _time(stage.end_time)) for stage in stages]
    last = max((place for place, (name, *_) in enumerate(rows) if name != "end"), default=0)
    found = []
    for place, (name, start, end) in enumerate(rows):
        until = end or (None if job.is_terminal else now)
        spent = max(until - start, timedelta()) if start and until else None
        ran = job.running_time if name == "running" else None
        if ran and spent is not None and abs(ran - spent) <= _EXACTNESS:
            spent = ran
        result = "done" if end or job.is_terminal else "active"
        if place == last and job.is_terminal:
            result = _RESULTS.get(job.phase or "", "done")
        found.append(StageRow(name, start, spent, "end" if name == "end" else result))
    return list(_placed(found))


def _placed(rows: list[StageRow]) -> Iterable[StageRow]:
    """The stages with their places: as wide as they lasted, but for the least width that each has."""
    drawn = [row for row in rows if row.result != "end" and row.lasted is not None]
    total = sum((row.lasted or timedelta() for row in drawn), timedelta())
    left, free = 0.0, 100 - LEAST_PERCENT * len(drawn)
    for row in rows:
        width = 0.0
        if row in drawn:
            width = LEAST_PERCENT + free * ((row.lasted or timedelta()) / total if total else 1 / len(drawn))
        yield row._replace(left=left, width=width)
        left += width


def _time(text: str | None) -> datetime | None:
    """A time of a stage, which has its zone; None for any other text."""
    try:
        found = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return found if found.tzinfo else None

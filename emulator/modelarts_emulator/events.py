"""Events: what happened to a job, told in its order; page "Obtaining the Events of a Training Job"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from sqlalchemy import Connection, delete, insert

from modelarts_emulator.tables import events

__all__ = ["Event", "Level", "Source", "add", "remove"]

Level = Literal["Info", "Warning", "Error"]
Source = Literal["K8S", "Job", "Task"]


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened; `time` in milliseconds since 1970."""

    job_id: str
    time: int
    message: str
    source: Source = "Job"
    level: Level = "Info"


def add(connection: Connection, new: Sequence[Event]) -> None:
    """Store the events, in this order."""
    if new:
        connection.execute(insert(events), [asdict(event) for event in new])


def remove(connection: Connection, job_id: str) -> None:
    """Forget the job's events."""
    connection.execute(delete(events).where(events.c.job_id == job_id))

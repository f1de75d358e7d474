"""Events: what happened to a run, in order."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from sqlalchemy import ColumnElement, Connection, func, insert, select

from modelarts_emulator.engine.database import MAX_NUMBER, ordered
from modelarts_emulator.engine.tables import events

Level = Literal["Info", "Warning", "Error"]
Source = Literal["K8S", "Job", "Task"]

log = logging.getLogger(__name__)

MAX_TEXT = 65_536  # characters of a message that are kept
FIELDS = (events.c.time, events.c.level, events.c.message, events.c.source)


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened; `time` in milliseconds since 1970."""

    run_id: str
    time: int
    message: str
    source: Source = "Job"
    level: Level = "Info"


def clean_text(text: object) -> str:
    """The text without what UTF-8 cannot encode (it becomes an escape sequence), cut to 65,536 characters."""
    whole = str(text)
    cut = whole if len(whole) <= MAX_TEXT else f"{whole[:MAX_TEXT]}... ({len(whole):,} characters)"
    return cut.encode("utf-8", "backslashreplace").decode("utf-8")


def add(connection: Connection, new: Sequence[Event]) -> None:
    """Store the events, in this order."""
    for event in new:
        if event.source == "Job":
            log.info("job %s: %s", event.run_id, event.message)
    if new:
        connection.execute(insert(events), [asdict(event) for event in new])


def page(
    connection: Connection,
    run_id: str,
    conditions: Sequence[ColumnElement[bool]],
    is_ascending: bool,
    limit: int,
    offset: int = 0,
) -> tuple[int, list[Event]]:
    """How many of the run's events meet the conditions, and those on the page, in the order of their times."""
    wanted = [events.c.run_id == run_id, *conditions]
    total = connection.execute(select(func.count()).select_from(events).where(*wanted)).scalar_one()
    query = select(*FIELDS).where(*wanted).order_by(*ordered([events.c.time, events.c.id], is_ascending))
    rows = connection.execute(query.limit(limit).offset(min(offset, MAX_NUMBER)))
    return total, [Event(run_id=run_id, **row._mapping) for row in rows]

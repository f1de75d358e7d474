"""Events: what happened to a job, in order; page "Obtaining the Events of a Training Job"."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, func, insert, select

from modelarts_emulator.engine.database import MAX_NUMBER, contains, ordered
from modelarts_emulator.engine.tables import events

Level = Literal["Info", "Warning", "Error"]
Source = Literal["K8S", "Job", "Task"]

log = logging.getLogger(__name__)

DEFAULT_LIMIT = 50
MAX_TEXT = 65_536  # characters of a message that are kept
FIELDS = (events.c.time, events.c.level, events.c.message, events.c.source)


class EventQueryError(ValueError):
    """A query for events that cannot be meant: which `parameter` is wrong, and the `reason`."""

    def __init__(self, parameter: str, reason: str) -> None:
        super().__init__(f"{parameter}: {reason}")
        self.parameter = parameter
        self.reason = reason


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
            log.info("job %s: %s", event.run_id[:8], event.message)
    if new:
        connection.execute(insert(events), [asdict(event) for event in new])


def list_page(
    connection: Connection, run_id: str, query: Mapping[str, Any], default_span: tuple[int, int]
) -> tuple[int, list[Event], dict[str, Any]]:
    """How many of the job's events match, those on the page, and the page's own description, times in milliseconds.

    `default_span` is the time that is searched when the query gives none. Raises EventQueryError for a bad query.
    """
    limit, offset, order = query.get("limit", DEFAULT_LIMIT), query.get("offset", 0), query.get("order") or "desc"
    if order not in ("asc", "desc"):
        raise EventQueryError("order", f"{order!r} is not asc or desc")
    start, end = _span(query) or default_span
    conditions = [events.c.run_id == run_id, events.c.time.between(start, end), *_conditions(connection, query)]
    total = connection.execute(select(func.count()).select_from(events).where(*conditions)).scalar_one()
    rank = ordered([events.c.time, events.c.id], order == "asc")
    page = select(*FIELDS).where(*conditions).order_by(*rank).limit(limit).offset(min(offset, MAX_NUMBER))
    found = [Event(run_id=run_id, **row._mapping) for row in connection.execute(page)]
    return total, found, {"limit": limit, "offset": offset, "order": order, "start_time": start, "end_time": end}


def _conditions(connection: Connection, query: Mapping[str, Any]) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if query.get("level"):
        conditions.append(events.c.level == query["level"])
    if query.get("source"):  # K8S and K8s are the same
        conditions.append(func.lower(events.c.source) == query["source"].lower())
    if query.get("pattern"):
        conditions.append(contains(connection, events.c.message, query["pattern"]))
    return conditions


def _span(query: Mapping[str, Any]) -> tuple[int, int] | None:
    """The time that the query names, None if it names none; the page wants both ends or neither."""
    given = [query.get(name) or "" for name in ("start_time", "end_time")]
    if not any(given):
        return None
    for name, text in zip(("start_time", "end_time"), given, strict=True):
        if not text:
            raise EventQueryError(name, "it is missing, and the other end of the time is given")
    start, end = (min(int(text[:20]), MAX_NUMBER) for text in given)
    return start, end

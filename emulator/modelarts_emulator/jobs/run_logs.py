"""Logs of runs that have ended, as they are stored: which are still to be published, and when they are deleted."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import Connection, Row, bindparam, delete, func, insert, select, update

from modelarts_emulator.jobs.runs import Run
from modelarts_emulator.jobs.tables import run_logs

__all__ = ["add", "due", "mark_published", "next_deletion", "remove", "unpublished"]

ADD = insert(run_logs)
UNPUBLISHED = select(run_logs).where(run_logs.c.is_published.is_(False))
DUE = select(run_logs).where(run_logs.c.delete_time <= bindparam("now")).order_by(run_logs.c.delete_time)
NEXT = select(func.min(run_logs.c.delete_time))
PUBLISHED = update(run_logs).where(run_logs.c.run_id == bindparam("log_of")).values(is_published=True)
KEPT_FOREVER = delete(run_logs).where(run_logs.c.run_id == bindparam("log_of"), run_logs.c.delete_time.is_(None))
REMOVED = delete(run_logs).where(run_logs.c.run_id == bindparam("log_of"))


def add(connection: Connection, ended: Sequence[Run]) -> None:
    """Store that the logs of these runs are to be published, and deleted when they are old."""
    rows = [
        {
            "run_id": run.id,
            "project_id": run.project_id,
            "node_count": run.node_count,
            "is_published": False,
            # The first moment at which it is older than it may become.
            "delete_time": run.end_time + run.log_lifetime + 1 if run.log_lifetime else None,
        }
        for run in ended
        if run.was_launched
    ]
    if rows:
        connection.execute(ADD, rows)


def unpublished(connection: Connection) -> Sequence[Row[Any]]:
    """The logs that are not known to be objects."""
    return connection.execute(UNPUBLISHED).all()


def mark_published(connection: Connection, run_ids: Collection[str]) -> None:
    """The logs of these runs are objects, as far as there are logs."""
    ids = [{"log_of": run_id} for run_id in run_ids]
    connection.execute(PUBLISHED, ids)
    connection.execute(KEPT_FOREVER, ids)


def due(connection: Connection, now: int, limit: int) -> Sequence[Row[Any]]:
    """At most `limit` logs that are to be deleted by now, in milliseconds since 1970."""
    return connection.execute(DUE.limit(limit), {"now": now}).all()


def next_deletion(connection: Connection) -> int | None:
    """When the next log is to be deleted, in milliseconds since 1970; None if none is."""
    moment: int | None = connection.execute(NEXT).scalar()
    return moment


def remove(connection: Connection, run_ids: Collection[str]) -> None:
    """Forget the logs of these runs."""
    connection.execute(REMOVED, [{"log_of": run_id} for run_id in run_ids])

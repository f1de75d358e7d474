"""The list of training jobs: conditions, order and pages of the page "Querying a Training Job List"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, case, func, select

from modelarts_emulator.jobs.tables import runs, v1_jobs, v1_versions
from modelarts_emulator.v1.errors import invalid
from modelarts_emulator.v1.paging import contains, read_page
from modelarts_emulator.v1.statuses import read_statuses, status_column

__all__ = ["ListedJob", "search"]


@dataclass(frozen=True, slots=True)
class ListedJob:
    """A job with what its list says of its newest version; None for a job without versions. Times in milliseconds."""

    job_id: int
    job_name: str
    job_desc: str
    create_time: int
    version_count: int
    version_id: int | None
    status: int | None
    duration: int


def search(connection: Connection, project_id: str, query: Mapping[str, Any], now: int) -> tuple[int, list[ListedJob]]:
    """How many jobs meet the conditions, and those on the page; raises ServiceError for a bad condition."""
    newest = (
        select(
            v1_versions.c.job_id, func.max(v1_versions.c.id).label("version_id"), func.count().label("version_count")
        )
        .group_by(v1_versions.c.job_id)
        .subquery()
    )
    # A version that runs has worked since its attempt began, beside what earlier attempts have worked.
    running = case((runs.c.attempt_start > 0, now - runs.c.attempt_start), else_=0)
    columns: dict[str, ColumnElement[Any]] = {
        "job_id": v1_jobs.c.id,
        "job_name": v1_jobs.c.name,
        "job_desc": v1_jobs.c.description,
        "create_time": v1_jobs.c.create_time,
        "version_count": func.coalesce(newest.c.version_count, 0),
        "version_id": newest.c.version_id,
        "status": status_column(),
        "duration": func.coalesce(runs.c.worked + running, 0),
    }
    joined = (
        v1_jobs.outerjoin(newest, newest.c.job_id == v1_jobs.c.id)
        .outerjoin(v1_versions, v1_versions.c.id == newest.c.version_id)
        .outerjoin(runs, runs.c.id == v1_versions.c.run_id)
    )
    found = select(*(column.label(name) for name, column in columns.items())).select_from(joined)
    found = found.where(v1_jobs.c.project_id == project_id, *_conditions(connection, query))
    rank = [columns[query.get("sortBy", "job_name")], v1_jobs.c.id]
    if query.get("order") == "desc":
        rank = [column.desc() for column in rank]
    offset, limit = read_page(query)
    total = connection.execute(select(func.count()).select_from(found.subquery())).scalar_one()
    rows = connection.execute(found.order_by(*rank).offset(offset).limit(limit))
    return total, [ListedJob(**row._mapping) for row in rows]


def _conditions(connection: Connection, query: Mapping[str, Any]) -> list[ColumnElement[bool]]:
    try:
        statuses = read_statuses(query.get("status", ""))
    except ValueError as error:
        raise invalid("status", str(error)) from None
    conditions = [contains(connection, v1_jobs.c.name, query.get("search_content", ""))]
    return [*conditions, status_column().in_(statuses)] if statuses else conditions

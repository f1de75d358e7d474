"""The list of training jobs: conditions, order and pages of the page "Querying a Training Job List"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, case, func, select

from modelarts_emulator.engine.database import contains, ordered
from modelarts_emulator.engine.tables import runs, v1_jobs, v1_versions
from modelarts_emulator.v1.paging import read_page
from modelarts_emulator.v1.statuses import read_statuses, status_column

__all__ = ["ListedJob", "search"]

OF_RUN = ("status", "duration")  # columns that only the runs have


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
    # A version that runs has worked since its attempt began, beside what earlier attempts have worked.
    running = case((runs.c.attempt_start > 0, now - runs.c.attempt_start), else_=0)
    columns: dict[str, ColumnElement[Any]] = {
        "job_id": v1_jobs.c.id,
        "job_name": v1_jobs.c.name,
        "job_desc": v1_jobs.c.description,
        "create_time": v1_jobs.c.create_time,
        "version_count": v1_jobs.c.version_count,
        "version_id": v1_jobs.c.newest_version_id,
        "status": status_column(),
        "duration": func.coalesce(runs.c.past_duration + running, 0),
    }
    joined = v1_jobs.outerjoin(v1_versions, v1_versions.c.id == v1_jobs.c.newest_version_id)
    joined = joined.outerjoin(runs, runs.c.id == v1_versions.c.run_id)
    named = [v1_jobs.c.project_id == project_id, contains(connection, v1_jobs.c.name, query.get("search_content", ""))]
    found = select(*(column.label(name) for name, column in columns.items())).select_from(joined).where(*named)
    sort_by, statuses = query.get("sortBy", "job_name"), read_statuses(query.get("status", ""))
    rank = ordered([columns[sort_by], v1_jobs.c.id], query.get("order") != "desc")
    offset, limit = read_page(query)
    if statuses or sort_by in OF_RUN:
        found = found.where(status_column().in_(statuses)) if statuses else found
        counted = select(func.count()).select_from(found.subquery())
        page = found.order_by(*rank).offset(offset).limit(limit)
    else:  # what comes before the page is passed over without its runs
        ids = select(v1_jobs.c.id).where(*named).order_by(*rank).offset(offset).limit(limit)
        counted = select(func.count()).select_from(v1_jobs).where(*named)
        page = found.where(v1_jobs.c.id.in_(ids)).order_by(*rank)
    rows = connection.execute(page)
    return connection.execute(counted).scalar_one(), [ListedJob(**row._mapping) for row in rows]

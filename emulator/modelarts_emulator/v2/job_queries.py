"""Searches over jobs: filters, order and pages, as far as the service documents them.

Documented are the operators and seven keys; which operator fits which key is read from the documented example.
A blank value restricts nothing: the example sends blanks in every filter that it does not use.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Literal

from sqlalchemy import Column, ColumnElement, Connection, Select, func, literal, or_, select
from sqlalchemy.sql import visitors

from modelarts_emulator.engine.database import MAX_NUMBER, contains, ordered
from modelarts_emulator.engine.tables import runs, v2_jobs
from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.v2.jobs import Job, count, some

__all__ = ["OffsetUnit", "search"]

OffsetUnit = Literal["page", "record"]

TEXTS = {
    "name": v2_jobs.c.name,
    "phase": runs.c.phase,
    "algorithm_name": v2_jobs.c.algorithm_name,
    "kind": v2_jobs.c.kind,
    "user_id": v2_jobs.c.user_id,
    "runtime_type": literal(""),  # "debug" is the only value documented, and no job here is one
}
TIMES = {"create_time": v2_jobs.c.create_time}
SORTS = {
    "create_time": v2_jobs.c.create_time,
    "name": v2_jobs.c.name,
    "phase": runs.c.phase,
    "algorithm_name": v2_jobs.c.algorithm_name,
}
DEFAULT_LIMIT = 50
MAX_FEW = 1000  # jobs of which the ids are read at once
MAX_VALUES = 500  # of all filters together; SQLite takes 1,000 nested expressions


def search(
    connection: Connection, project_id: str, request: Mapping[str, Any], unit: OffsetUnit
) -> tuple[int, list[Job], dict[str, Any]]:
    """How many jobs match, those on the page, and the page's own description; raises ServiceError for a bad request.

    The page "Querying a Training Job List" describes `offset` as a number of pages; `unit` can make it one of records.
    """
    limit = int(request.get("limit") or DEFAULT_LIMIT)
    offset = int(request.get("offset") or 0)
    sort_by = request.get("sort_by") or "create_time"
    order = request.get("order") or "desc"
    if sort_by not in SORTS:
        raise ServiceError("ModelArts.2790", f"Sorting by {sort_by} is not supported: use {', '.join(SORTS)}.")
    if request.get("group_by"):
        raise ServiceError("ModelArts.2788", "Invalid parameter (group_by): the emulator does not group jobs.")
    filters = request.get("filters") or ()
    # Every value is a parameter of the statement and a nested expression, and databases limit both.
    if (number := sum(max(len(entry.get("value") or ()), 1) for entry in filters)) > MAX_VALUES:
        raise ServiceError("ModelArts.2809", f"The filters have {number} values: give {MAX_VALUES} at most.")
    conditions: list[ColumnElement[bool]] = []
    for entry in filters:
        conditions += _conditions(connection, entry)
    start = min(offset * limit if unit == "page" else offset, MAX_NUMBER)
    # First the page by ids alone, which an index holds; then the documents, which are long.
    ranked = _Ranked(connection, project_id, conditions, [SORTS[sort_by], v2_jobs.c.id], order == "asc")
    total, ids = ranked.filtered_page(start, limit) if conditions else ranked.page(start, limit)
    found = {job.id: job for job in some(connection, ids)}
    described = {"limit": limit, "offset": offset, "sort_by": sort_by, "order": order, "group_by": ""}
    # Another job may have been removed since.
    return total, [found[job_id] for job_id in ids if job_id in found], described


class _Ranked:
    """The ids of the project's jobs that meet all conditions, in an order."""

    def __init__(
        self,
        connection: Connection,
        project_id: str,
        conditions: Sequence[ColumnElement[bool]],
        columns: Sequence[ColumnElement[Any]],
        is_ascending: bool,
    ) -> None:
        self._connection = connection
        self._count = partial(_count, connection, project_id, conditions)
        self._conditions = [v2_jobs.c.project_id == project_id, *conditions]
        self._columns = columns
        self._is_ascending = is_ascending

    def filtered_page(self, start: int, limit: int) -> tuple[int, list[str]]:
        """As `page`, by reading the jobs once instead of twice if only few of them meet the conditions."""
        ids = self._ids(self._is_ascending, 0, MAX_FEW + 1)
        return self.page(start, limit) if len(ids) > MAX_FEW else (len(ids), ids[start : start + limit])

    def page(self, start: int, limit: int) -> tuple[int, list[str]]:
        """How many jobs there are, and the ids of `limit` of them from `start` on."""
        total = self._count()
        places = range(total)[start : start + limit]
        # What lies before a page is read, too: so a page is looked for from the end that is nearer.
        if places.start > total - places.stop:
            return total, self._ids(not self._is_ascending, total - places.stop, len(places))[::-1]
        return total, self._ids(self._is_ascending, places.start, len(places))

    def _ids(self, is_ascending: bool, offset: int, limit: int) -> list[str]:
        rank = ordered(self._columns, is_ascending)
        page = _matching(v2_jobs.c.id, [*self._conditions, *rank]).where(*self._conditions).order_by(*rank)
        return list(self._connection.execute(page.limit(limit).offset(offset)).scalars())


def _count(connection: Connection, project_id: str, conditions: Sequence[ColumnElement[bool]]) -> int:
    if not conditions:
        return count(connection, project_id)
    query = _matching(func.count(), conditions).where(v2_jobs.c.project_id == project_id, *conditions)
    return int(connection.execute(query).scalar_one())


def _matching(column: Any, expressions: Sequence[ColumnElement[Any]]) -> Select[Any]:
    """A query for the column, joined with the runs if an expression is about them."""
    needs_runs = any(found.table is runs for entry in expressions for found in _columns(entry))
    source = v2_jobs.join(runs, runs.c.id == v2_jobs.c.run_id) if needs_runs else v2_jobs
    return select(column).select_from(source)


def _columns(expression: ColumnElement[Any]) -> Iterator[Column[Any]]:
    return (entry for entry in visitors.iterate(expression) if isinstance(entry, Column))


def _conditions(connection: Connection, entry: Mapping[str, Any]) -> list[ColumnElement[bool]]:
    key, operator = entry.get("key") or "", entry.get("operator") or ""
    if key not in TEXTS and key not in TIMES:
        raise ServiceError("ModelArts.2807", f"Filter key {key!r} is not supported: use {', '.join([*TEXTS, *TIMES])}.")
    supported = ("like", "in", "not") if key in TEXTS else ("between", "in", "not")
    if operator not in supported:
        raise ServiceError(
            "ModelArts.2808", f"Operator {operator!r} is not supported for {key}: use {', '.join(supported)}."
        )
    values = list(entry.get("value") or ())
    if operator == "between":
        return _between(values)
    values = [value for value in values if value not in ("", None)]
    if not values:
        return []
    if key in TIMES:
        numbers = [_time(value) for value in values]
        return [TIMES[key].in_(numbers) if operator == "in" else TIMES[key].not_in(numbers)]
    column = TEXTS[key]
    if operator == "like":
        return [or_(*(contains(connection, column, value) for value in values))]
    return [column.in_(values) if operator == "in" else column.not_in(values)]


def _between(values: Sequence[str | None]) -> list[ColumnElement[bool]]:
    if not values:
        return []
    if len(values) != 2:
        raise ServiceError("ModelArts.2809", f"Filter create_time: between takes two values, not {len(values)}.")
    low, high = values
    conditions = [v2_jobs.c.create_time >= _time(low)] if low else []
    return [*conditions, v2_jobs.c.create_time <= _time(high)] if high else conditions


def _time(value: str) -> int:
    if not (value.isascii() and value.isdigit()):
        raise ServiceError("ModelArts.2809", f"Filter create_time: {value!r} is not a time in milliseconds since 1970.")
    return min(int(value[:20]), MAX_NUMBER)

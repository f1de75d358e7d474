"""Searches over jobs: filters, order and pages, as far as the service documents them.

Documented are the operators and seven keys; which operator fits which key is read from the documented example.
A blank value restricts nothing: the example sends blanks in every filter that it does not use.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, func, literal, or_, select

from modelarts_emulator.errors import Refusal
from modelarts_emulator.jobs import Job, some
from modelarts_emulator.tables import jobs

__all__ = ["OffsetUnit", "search"]

OffsetUnit = Literal["page", "record"]

TEXTS = {
    "name": jobs.c.name,
    "phase": jobs.c.phase,
    "algorithm_name": jobs.c.algorithm_name,
    "kind": jobs.c.kind,
    "user_id": jobs.c.user_id,
    "runtime_type": literal(""),  # "debug" is the only value documented, and no job here is one
}
TIMES = {"create_time": jobs.c.create_time}
SORTS = {
    "create_time": jobs.c.create_time,
    "name": jobs.c.name,
    "phase": jobs.c.phase,
    "algorithm_name": jobs.c.algorithm_name,
}
DEFAULT_LIMIT = 50
LARGEST = 2**62  # what every database holds


def search(
    connection: Connection, project_id: str, request: Mapping[str, Any], unit: OffsetUnit
) -> tuple[int, list[Job], dict[str, Any]]:
    """How many jobs match, those on the page, and the page's own description; raises Refusal for a bad request.

    The page "Querying a Training Job List" describes `offset` as a number of pages; `unit` can make it one of records.
    """
    limit = int(request.get("limit") or DEFAULT_LIMIT)
    offset = int(request.get("offset") or 0)
    sort_by = request.get("sort_by") or "create_time"
    order = request.get("order") or "desc"
    if sort_by not in SORTS:
        raise Refusal("ModelArts.2790", f"Sorting by {sort_by} is not supported: use {', '.join(SORTS)}.")
    if request.get("group_by"):
        raise Refusal("ModelArts.2788", "Invalid parameter (group_by): the emulator does not group jobs.")
    conditions = [jobs.c.project_id == project_id]
    for entry in request.get("filters") or ():
        conditions += _conditions(entry)
    total = connection.execute(select(func.count()).select_from(jobs).where(*conditions)).scalar_one()
    start = min(offset * limit if unit == "page" else offset, LARGEST)
    # First the page by ids alone, which an index holds; then the documents, which are long.
    is_ascending, places = order == "asc", range(total)[start : start + limit]
    # What lies before a page is read, too: so a page is looked for from the end that is nearer.
    if is_backward := places.start > total - places.stop:
        is_ascending, places = not is_ascending, range(total - places.stop, total - places.start)
    rank = [column if is_ascending else column.desc() for column in (SORTS[sort_by], jobs.c.id)]
    page = select(jobs.c.id).where(*conditions).order_by(*rank).limit(len(places)).offset(places.start)
    ids = list(connection.execute(page).scalars())[:: -1 if is_backward else 1]
    found = {job.id: job for job in some(connection, ids)}
    described = {"limit": limit, "offset": offset, "sort_by": sort_by, "order": order, "group_by": ""}
    return total, [found[job_id] for job_id in ids], described


def _conditions(entry: Mapping[str, Any]) -> list[ColumnElement[bool]]:
    key, operator = entry.get("key") or "", entry.get("operator") or ""
    if key not in TEXTS and key not in TIMES:
        raise Refusal("ModelArts.2807", f"Filter key {key!r} is not supported: use {', '.join([*TEXTS, *TIMES])}.")
    supported = ("like", "in", "not") if key in TEXTS else ("between", "in", "not")
    if operator not in supported:
        raise Refusal(
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
        return [or_(*(column.icontains(value, autoescape=True) for value in values))]
    return [column.in_(values) if operator == "in" else column.not_in(values)]


def _between(values: Sequence[str | None]) -> list[ColumnElement[bool]]:
    if not values:
        return []
    if len(values) != 2:
        raise Refusal("ModelArts.2809", f"Filter create_time: between takes two values, not {len(values)}.")
    low, high = values
    conditions = [jobs.c.create_time >= _time(low)] if low else []
    return [*conditions, jobs.c.create_time <= _time(high)] if high else conditions


def _time(value: str) -> int:
    if not (value.isascii() and value.isdigit()):
        raise Refusal("ModelArts.2809", f"Filter create_time: {value!r} is not a time in milliseconds since 1970.")
    return min(int(value[:20]), LARGEST)

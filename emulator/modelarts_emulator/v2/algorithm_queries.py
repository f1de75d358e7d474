"""Lists of algorithms: condition, order and page, as far as the page "Querying the Algorithm List" documents them.

Documented is the form `key:text` of the condition, with one example, `name`; it is met by a part of the value.
`offset` counts algorithms, where the search for jobs counts pages.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, Connection, func, select

from modelarts_emulator.engine.database import MAX_NUMBER, contains, ordered
from modelarts_emulator.engine.tables import algorithms
from modelarts_emulator.http.errors import ServiceError

__all__ = ["list_page"]

KEYS = {"name": algorithms.c.name}
SORTS = {"create_time": algorithms.c.create_time, "name": algorithms.c.name}
DEFAULT_LIMIT = 50


def list_page(
    connection: Connection, project_id: str, query: Mapping[str, Any]
) -> tuple[int, list[dict[str, Any]], dict[str, Any]]:
    """How many algorithms match, those on the page, and the page's own description.

    Raises ServiceError for a bad query.
    """
    limit, offset = query.get("limit", DEFAULT_LIMIT), query.get("offset", 0)
    sort_by = query.get("sort_by") or "create_time"
    order = query.get("order", "desc")
    if sort_by not in SORTS:
        raise ServiceError("ModelArts.2790", f"Sorting by {sort_by} is not supported: use {', '.join(SORTS)}.")
    if query.get("group_by"):
        raise ServiceError("ModelArts.2788", "Invalid parameter (group_by): the emulator does not group algorithms.")
    conditions = [algorithms.c.project_id == project_id, *_conditions(connection, query.get("searches") or "")]
    total = connection.execute(select(func.count()).select_from(algorithms).where(*conditions)).scalar_one()
    rank = ordered([SORTS[sort_by], algorithms.c.id], order == "asc")
    page = select(algorithms.c.document).where(*conditions).order_by(*rank)
    found = connection.execute(page.limit(limit).offset(min(offset, MAX_NUMBER))).scalars().all()
    described = {"limit": limit, "offset": offset, "sort_by": sort_by, "order": order, "group_by": ""}
    return total, list(found), described


def _conditions(connection: Connection, searches: str) -> list[ColumnElement[bool]]:
    if not searches:
        return []
    key, _, text = searches.partition(":")
    if key not in KEYS:
        raise ServiceError("ModelArts.2807", f"Search key {key!r} is not supported: use {', '.join(KEYS)}.")
    return [contains(connection, KEYS[key], text)]

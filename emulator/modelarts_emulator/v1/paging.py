"""Pages and search texts of lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, Connection, true

__all__ = ["DEFAULT_PER_PAGE", "contains", "read_page"]

DEFAULT_PER_PAGE = 10
LARGEST = 2**62  # what every database holds


def read_page(query: Mapping[str, Any]) -> tuple[int, int]:
    """How many entries come before the page, and how many the page has at most; `page` counts from 1."""
    limit = query.get("per_page", DEFAULT_PER_PAGE)
    return min((query.get("page", 1) - 1) * limit, LARGEST), limit


def contains(connection: Connection, column: ColumnElement[Any], text: str) -> ColumnElement[bool]:
    """Whether the column holds the text, in either case of ASCII letters; true for an empty text."""
    if not text:
        return true()
    text = text.replace("\0", "\ufffd")  # for SQLite, NUL would end the pattern
    # LIKE of SQLite ignores the case of ASCII letters.
    is_sqlite = connection.dialect.name == "sqlite"
    return (column.contains if is_sqlite else column.icontains)(text, autoescape=True)

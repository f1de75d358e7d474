"""What the lists of all tables have in common: conditions on texts, orders, and bounds of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, true

__all__ = ["MAX_NUMBER", "contains", "is_id", "ordered"]

MAX_NUMBER = 2**62  # of a statement: what every database holds
MAX_ID = 2**31 - 1  # of an integer column


def is_id(number: int) -> bool:
    """Whether a row can have this number as its id; the database would reject a larger one."""
    return 0 < number <= MAX_ID


def contains(connection: Connection, column: ColumnElement[Any], text: str) -> ColumnElement[bool]:
    """Whether the column holds the text, in either case of ASCII letters; true for an empty text."""
    if not text:
        return true()
    text = text.replace("\0", "\ufffd")  # for SQLite, NUL would end the pattern
    # LIKE of SQLite ignores the case of ASCII letters, and takes half as long as `icontains`, which calls lower().
    is_sqlite = connection.dialect.name == "sqlite"
    return (column.contains if is_sqlite else column.icontains)(text, autoescape=True)


def ordered(columns: Sequence[ColumnElement[Any]], is_ascending: bool) -> list[ColumnElement[Any]]:
    """The columns as an order: all ascending, or all descending."""
    return [column if is_ascending else column.desc() for column in columns]

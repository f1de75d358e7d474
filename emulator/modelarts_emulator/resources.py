"""What lists of all kinds have in common: entries of a table, each within a scope such as a project."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, TypeVar

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    FromClause,
    Row,
    Select,
    bindparam,
    delete,
    func,
    insert,
    select,
)
from sqlalchemy import update as updating
from sqlalchemy.exc import IntegrityError
from sqlalchemy.sql import visitors

from modelarts_emulator.engine.database import MAX_NUMBER, Database, is_id, ordered
from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.http.family import Call

Entry = TypeVar("Entry")


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a list: the column that sorts it, the number of entries before the page, and their number on it."""

    sort_by: str
    is_ascending: bool = True
    start: int = 0
    limit: int = MAX_NUMBER


@dataclass(frozen=True, kw_only=True)
class Resource(Generic[Entry]):
    """Entries that users create, list, change and delete, each in a scope: a project, or what they belong to.

    `rows` is the query for all that `read` makes an entry of, `joined` the table with the others that conditions and
    orders may be about. `sorts` are the columns to sort by, under the names that requests use; entries that are equal
    in one follow their keys.
    `missing` is the error for a key that the scope does not have, `in_use` that for a name which is taken, `exceeded`
    that for one entry more than the quota.
    """

    key: Column[Any]
    scope: Column[Any]
    rows: Select[Any]
    read: Callable[[Row[Any]], Entry]
    missing: Callable[[Any], ServiceError]
    in_use: Callable[[str], ServiceError]
    exceeded: Callable[[int], ServiceError] | None = None
    sorts: Mapping[str, ColumnElement[Any]] = field(default_factory=dict)
    joined: FromClause | None = None

    @cached_property
    def _by_key(self) -> Select[Any]:
        return self.rows.where(self.key == bindparam("wanted_key"), self.scope == bindparam("wanted_scope"))

    def find(self, connection: Connection, scope: Any, key: Any) -> Entry:
        """The entry with this key in this scope; raises `missing`."""
        row = None
        if not isinstance(key, int) or is_id(key):
            row = connection.execute(self._by_key, {"wanted_key": key, "wanted_scope": scope}).one_or_none()
        if row is None:
            raise self.missing(key)
        return self.read(row)

    def of_path(self, database: Database, call: Call, parameter: str) -> Entry:
        """The entry in the caller's project whose key is this parameter of the path; raises `missing`."""
        with database.reading() as connection:
            return self.find(connection, call.project_id, call.path[parameter])

    def add(self, connection: Connection, values: Mapping[str, Any]) -> Any:
        """Store a new entry and return its key; raises `in_use`."""
        with self._unique(values.get("name", "")):
            added = connection.execute(insert(self.key.table), values).inserted_primary_key
        return getattr(added, self.key.name)

    def change(self, connection: Connection, scope: Any, key: Any, **values: Any) -> None:
        """Store other values of an entry; raises `missing` or `in_use`."""
        query = updating(self.key.table).where(self.key == key, self.scope == scope).values(values)
        with self._unique(values.get("name", "")):
            if not connection.execute(query).rowcount:
                raise self.missing(key)

    def remove(self, connection: Connection, scope: Any, key: Any) -> None:
        """Delete an entry; raises `missing`."""
        if not connection.execute(delete(self.key.table).where(self.key == key, self.scope == scope)).rowcount:
            raise self.missing(key)

    def count(self, connection: Connection, scope: Any, conditions: Sequence[ColumnElement[bool]] = ()) -> int:
        """How many entries of the scope meet the conditions, ended ones included."""
        query = self._select(func.count(), conditions).where(self.scope == scope, *conditions)
        return int(connection.execute(query).scalar_one())

    def has_name(self, connection: Connection, scope: Any, name: str) -> bool:
        """Whether the scope has an entry of this name."""
        return self.count(connection, scope, [self.key.table.c.name == name]) > 0

    def check_quota(self, count: int, most: int) -> None:
        """Raise `exceeded` unless a scope that has so many entries may have one more; ended ones count."""
        if self.exceeded and count >= most:
            raise self.exceeded(most)

    def page(
        self,
        connection: Connection,
        scope: Any,
        page: Page,
        conditions: Sequence[ColumnElement[bool]] = (),
    ) -> tuple[int, list[Entry]]:
        """How many entries of the scope meet the conditions, and those on the page.

        The page is found by its keys alone, which an index holds; only its own rows are read, which may be long.
        """
        pages = self._pages if conditions else self._all_pages
        query = pages(page.sort_by, page.is_ascending, *conditions)
        wanted = {"wanted_scope": scope, "page_limit": page.limit, "page_start": min(page.start, MAX_NUMBER)}
        entries = [self.read(row) for row in connection.execute(query, wanted)]
        return self.count(connection, scope, conditions), entries

    @cached_property
    def _all_pages(self) -> Callable[..., Select[Any]]:
        """`_pages` without conditions, which makes each of its few queries once."""
        return functools.cache(self._pages)

    def _pages(self, sort_by: str, is_ascending: bool, *conditions: ColumnElement[bool]) -> Select[Any]:
        """The query for a page, whose parameters are the scope, the limit and the start."""
        is_inside = self.scope == bindparam("wanted_scope")
        rank = ordered([self.sorts[sort_by], self.key], is_ascending)
        limit, start = (bindparam(name, type_=BigInteger) for name in ("page_limit", "page_start"))
        keys = self._select(self.key, [*conditions, *rank]).where(is_inside, *conditions).order_by(*rank)
        keys = keys.limit(limit).offset(start).correlate(None)
        # The scope is named only if the key is unique just within it, because with a scope SQLite reads all its rows.
        rows = self.rows.where(self.key.in_(keys), *([is_inside] if self.scope.primary_key else ()))
        return rows.order_by(*rank)

    def every(self, connection: Connection, scope: Any) -> list[Entry]:
        """All entries of the scope, in the order of their keys."""
        return [self.read(row) for row in connection.execute(self.rows.where(self.scope == scope).order_by(self.key))]

    def _select(self, column: Any, expressions: Sequence[ColumnElement[Any]]) -> Select[Any]:
        """A query for the column, of the joined tables if an expression is about another one than the own."""
        table = self.key.table
        parts = (part for expression in expressions for part in visitors.iterate(expression))
        is_own = all(part.table is table for part in parts if isinstance(part, Column))
        return select(column).select_from(table if self.joined is None or is_own else self.joined)

    @contextmanager
    def _unique(self, name: str) -> Iterator[None]:
        try:
            yield
        except IntegrityError:
            raise self.in_use(name) from None

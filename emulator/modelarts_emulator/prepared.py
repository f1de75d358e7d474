"""Statements that come with nearly every request, put together once and executed by the driver itself.

For one short row, SQLAlchemy's own way takes five times as long as SQLite; the statement, its text in the database's
dialect and the conversion of its values are still SQLAlchemy's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Dialect, Insert, Select, Update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.types import TypeEngine

__all__ = ["Prepared"]

Conversion = Callable[[Any], Any]


class Prepared:
    """A statement whose parameters are all single values; it belongs to the connection's transaction."""

    def __init__(self, statement: Select[Any] | Insert | Update) -> None:
        self._statement = statement
        self._compiled: dict[str, _Compiled] = {}

    def first(self, connection: Connection, parameters: Mapping[str, Any]) -> Sequence[Any] | None:
        """The values of the first row, in the order of the columns; None if there is no row."""
        compiled = self._for(connection.dialect)
        cursor = connection.connection.cursor()
        try:
            cursor.execute(compiled.text, compiled.arrange(parameters))
            row = cursor.fetchone()
        finally:
            cursor.close()
        return None if row is None else compiled.convert(row)

    def run(self, connection: Connection, rows: Iterable[Mapping[str, Any]]) -> None:
        """Execute a statement that returns nothing, once with each of these parameters; raises IntegrityError."""
        compiled = self._for(connection.dialect)
        cursor = connection.connection.cursor()
        try:
            cursor.executemany(compiled.text, [compiled.arrange(parameters) for parameters in rows])
        except connection.dialect.loaded_dbapi.IntegrityError as error:
            raise IntegrityError(compiled.text, None, error) from None
        finally:
            cursor.close()

    def _for(self, dialect: Dialect) -> _Compiled:
        if dialect.name not in self._compiled:
            self._compiled[dialect.name] = _Compiled(self._statement, dialect)
        return self._compiled[dialect.name]


class _Compiled:
    """The statement in one dialect."""

    def __init__(self, statement: Select[Any] | Insert | Update, dialect: Dialect) -> None:
        compiled = statement.compile(dialect=dialect)
        self.text = str(compiled)
        self._names: Iterable[str] | None = compiled.positiontup
        self._constants = {name: value for name, value in compiled.params.items() if value is not None}
        kinds = {name: parameter.type for name, parameter in compiled.binds.items()}
        self._before = _conversions(kinds.items(), lambda kind: kind.bind_processor(dialect), dialect)
        columns = enumerate(column.type for column in getattr(statement, "selected_columns", ()))
        self._after = _conversions(columns, lambda kind: kind.result_processor(dialect, None), dialect)

    def arrange(self, parameters: Mapping[str, Any]) -> Any:
        values = {**self._constants, **parameters}
        for name, convert in self._before:
            values[name] = convert(values[name])
        return values if self._names is None else [values[name] for name in self._names]

    def convert(self, row: Sequence[Any]) -> Sequence[Any]:
        values = list(row)
        for place, convert in self._after:
            values[place] = convert(values[place])
        return values


def _conversions(
    kinds: Iterable[tuple[Any, TypeEngine[Any]]],
    conversion: Callable[[TypeEngine[Any]], Conversion | None],
    dialect: Dialect,
) -> list[tuple[Any, Conversion]]:
    found = ((key, conversion(kind.dialect_impl(dialect))) for key, kind in kinds)
    return [(key, convert) for key, convert in found if convert is not None]

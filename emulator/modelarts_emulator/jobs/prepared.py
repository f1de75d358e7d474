"""Statements that come with nearly every request, put together once and executed by the driver itself.

For one short row, SQLAlchemy's own way takes five times as long as SQLite; the statement, its text in the database's
dialect and the conversion of its values are still SQLAlchemy's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, Dialect, Insert, Select, Update
from sqlalchemy.exc import DBAPIError
from sqlalchemy.types import TypeEngine

__all__ = ["Prepared"]

Conversion = Callable[[Any], Any]


class Prepared:
    """A statement whose parameters are all single values, given in the order of `names`.

    It belongs to the connection's transaction. Errors of the driver are raised as SQLAlchemy's.
    """

    def __init__(self, statement: Select[Any] | Insert | Update, names: Sequence[str]) -> None:
        self._statement = statement
        self._names = names
        self._compiled: dict[str, _Compiled] = {}

    def first(self, connection: Connection, *parameters: Any) -> Sequence[Any] | None:
        """The values of the first row, in the order of the columns; None if there is no row."""
        if connection.dialect.name != "sqlite":  # only SQLite is so quick that the rest counts
            return connection.execute(self._statement, dict(zip(self._names, parameters, strict=True))).first()
        compiled = self._for(connection.dialect)
        cursor = connection.connection.cursor()
        try:
            cursor.execute(compiled.text, compiled.arrange(parameters))
            row = cursor.fetchone()
        except connection.dialect.loaded_dbapi.Error as error:
            raise _wrapped(error, compiled.text, connection.dialect) from None
        finally:
            cursor.close()
        return None if row is None else compiled.convert(row)

    def run(self, connection: Connection, rows: Iterable[Sequence[Any]]) -> None:
        """Execute a statement that returns nothing, once with each of these parameters."""
        if connection.dialect.name != "sqlite":
            connection.execute(self._statement, [dict(zip(self._names, row, strict=True)) for row in rows])
            return
        compiled = self._for(connection.dialect)
        cursor = connection.connection.cursor()
        try:
            cursor.executemany(compiled.text, [compiled.arrange(row) for row in rows])
        except connection.dialect.loaded_dbapi.Error as error:
            raise _wrapped(error, compiled.text, connection.dialect) from None
        finally:
            cursor.close()

    def _for(self, dialect: Dialect) -> _Compiled:
        if dialect.name not in self._compiled:
            self._compiled[dialect.name] = _Compiled(self._statement, self._names, dialect)
        return self._compiled[dialect.name]


class _Compiled:
    """The statement in one dialect."""

    def __init__(self, statement: Select[Any] | Insert | Update, names: Sequence[str], dialect: Dialect) -> None:
        compiled = statement.compile(dialect=dialect)
        self.text = str(compiled)
        constants = {name: value for name, value in compiled.params.items() if name not in names}
        self._names = [*names, *constants]
        self._constants = list(constants.values())
        self._order = None if compiled.positiontup is None else list(map(self._names.index, compiled.positiontup))
        self._before = _conversions(
            (compiled.binds[name].type for name in self._names), lambda kind: kind.bind_processor(dialect), dialect
        )
        columns = (column.type for column in getattr(statement, "selected_columns", ()))
        self._after = _conversions(columns, lambda kind: kind.result_processor(dialect, None), dialect)

    def arrange(self, parameters: Sequence[Any]) -> Any:
        values = [*parameters, *self._constants]
        for place, convert in self._before:
            values[place] = convert(values[place])
        if self._order is None:
            return dict(zip(self._names, values, strict=True))
        return [values[place] for place in self._order]

    def convert(self, row: Sequence[Any]) -> Sequence[Any]:
        values = list(row)
        for place, convert in self._after:
            values[place] = convert(values[place])
        return values


def _wrapped(error: Exception, text: str, dialect: Dialect) -> BaseException:
    """The driver's error as the exception that SQLAlchemy has for it, without the values, which may be secrets."""
    return DBAPIError.instance(text, None, error, dialect.loaded_dbapi.Error, hide_parameters=True, dialect=dialect)


def _conversions(
    kinds: Iterable[TypeEngine[Any]], conversion: Callable[[TypeEngine[Any]], Conversion | None], dialect: Dialect
) -> list[tuple[int, Conversion]]:
    """What is to be done to the values in which places."""
    found = (conversion(kind.dialect_impl(dialect)) for kind in kinds)
    return [(place, convert) for place, convert in enumerate(found) if convert is not None]

"""Lists that come in pages: what to ask next, what of an answer is new, and when to stop.

`Cursor` decides and asks nobody; `walk` and `walk_async` ask and decide nothing.

The number of records that came decides, not the number that was asked for: a service may give fewer per page.
A list ends where `total` is reached.
Without a total, or where more records came than it says, a list ends at a page that is shorter than the one before it.
It always ends at an empty page, and after `PATIENCE` pages in a row that bring nothing new.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from .model import plain
from .types import UNSET, OffsetUnit

PATIENCE = 3  # pages: some records may come again when others are put before them meanwhile


class Pages(NamedTuple):
    """How one operation pages; `x-pagination` of the documents in terms of the generated code."""

    limit: str
    position: str
    in_body: bool
    counts: Literal["pages", "records"]
    is_counting_set: bool  # by the client's `offset_unit`, in place of `counts`
    first: int
    largest: int | None
    items: tuple[str, ...]
    total: tuple[str, ...] = ()
    id: tuple[str, ...] = ()


class Cursor:
    """Where an iteration over the records of one operation is.

    `given` holds what the caller gave: the whole body, or limit and position of a query; it is copied.
    Raises ValueError for a position that is none.
    """

    def __init__(self, pages: Pages, given: Mapping[str, Any] | object, offset_unit: OffsetUnit) -> None:
        self._pages = pages
        self._counts = f"{offset_unit}s" if pages.is_counting_set else pages.counts
        first = pages.first if self._counts == pages.counts else 0
        self._given: dict[str, Any] = plain(given)
        limit, start = (self._given.pop(name, None) for name in (pages.limit, pages.position))
        self._limit = pages.largest if limit is None or limit is UNSET else limit
        self._position = first if start is None or start is UNSET else start
        if not isinstance(self._position, int) or isinstance(self._position, bool) or self._position < first:
            raise ValueError(f"{pages.position}={start!r} is no place to start: give a whole number from {first} on")
        self._skipped = self._position - first  # pages or records before those that are asked for
        self._received = 0
        self._previous: list[Any] | None = None
        self._seen: set[int | str] = set()
        self._stalled = 0
        self.is_finished = False

    def question(self) -> dict[str, Any]:
        """The arguments of the call for the next page."""
        asked = {**self._given, self._pages.position: self._position}
        if self._limit is not None:
            asked[self._pages.limit] = self._limit
        return {"body": asked} if self._pages.in_body else asked

    def take(self, answer: object) -> list[Any]:
        """The records of the page that were not there before, in its order; moves on to the next page."""
        found = value_at(answer, self._pages.items)
        records = found if isinstance(found, list) else []
        fresh = [record for record in records if self._is_new(record)]
        if self._counts == "pages" and self._previous is None:
            self._skipped *= len(records)
        self._received += len(records)
        self._position += 1 if self._counts == "pages" else len(records)
        self._stalled = 0 if fresh and records != self._previous else self._stalled + 1
        self.is_finished = not records or self._stalled == PATIENCE or self._is_last(records, answer)
        self._previous = records
        return fresh

    def _is_new(self, record: object) -> bool:
        identifier = value_at(record, self._pages.id) if self._pages.id else None
        if not isinstance(identifier, int | str) or identifier == "":
            return True
        if identifier in self._seen:
            return False
        self._seen.add(identifier)
        return True

    def _is_last(self, records: list[Any], answer: object) -> bool:
        total = count(value_at(answer, self._pages.total)) if self._pages.total else None
        reached = self._skipped + self._received
        if total is not None and reached <= total:
            return reached == total
        return self._previous is not None and len(records) < len(self._previous)


def value_at(value: object, path: tuple[str, ...]) -> Any:
    """The member of a member of the model; None where one of them is missing."""
    for attribute in path:
        value = getattr(value, attribute, None)
    return value


def count(value: object) -> int | None:
    """The number that the service means: some answers have it as text."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def walk(cursor: Cursor, ask: Callable[..., Any]) -> Iterator[Any]:
    """The records, asking for a page when its first record is wanted."""
    while not cursor.is_finished:
        yield from cursor.take(ask(**cursor.question()))


async def walk_async(cursor: Cursor, ask: Callable[..., Awaitable[Any]]) -> AsyncIterator[Any]:
    """The asynchronous twin of `walk`."""
    while not cursor.is_finished:
        for record in cursor.take(await ask(**cursor.question())):
            yield record

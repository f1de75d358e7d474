"""Lists that come in pages: what to request next, which records of a response are new, and when to stop.

`Cursor` decides and sends nothing; `walk` and `walk_async` send and decide nothing.

The number of records that came decides, not the number that was asked for: a service may give fewer per page.
A list ends where `total` is reached.
Without a total, or where more records came than it says, a list ends at a page that is shorter than the one before it.
It always ends at an empty page.
Pages may overlap, because records are created meanwhile: no record is given twice.
After `STALLED_PAGES` pages in a row without a new record the list ends, with IncompleteList if `total` says that
there are more.

Where the documents leave open whether an offset counts pages or records, and pages are counted, a page that is the one
before moved by a single record shows that the service counts records.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from modelarts_runtime.errors import IncompleteList
from modelarts_runtime.types import UNSET, OffsetUnit, plain, value_at, whole_number

logger = logging.getLogger("modelarts_api")

STALLED_PAGES = 3  # some records may come again when others are put before them meanwhile
SHORTEST_SHIFTED = 10  # records; on shorter pages, new records may have moved the others


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
    `learn` is called with the unit of the offset if it turns out to be another one than `offset_unit`.
    Raises ValueError for a position that is not valid.
    """

    def __init__(
        self,
        pages: Pages,
        given: Mapping[str, Any] | object,
        offset_unit: OffsetUnit,
        learn: Callable[[OffsetUnit], object] | None = None,
    ) -> None:
        self._pages = pages
        self._learn = learn
        self._counts = f"{offset_unit}s" if pages.is_counting_set else pages.counts
        first = pages.first if self._counts == pages.counts else 0
        self._given: dict[str, Any] = plain(given)
        limit, start = (self._given.pop(name, None) for name in (pages.limit, pages.position))
        self._limit = pages.largest if limit is None or limit is UNSET else limit
        self._position = first if start is None or start is UNSET else start
        if not isinstance(self._position, int) or isinstance(self._position, bool) or self._position < first:
            raise ValueError(f"{pages.position} must be an integer of at least {first}, not {start!r}")
        self._start = self._position
        self._skipped = self._position - first  # pages or records before those that are asked for
        self._received = 0  # records, each counted once
        self._total: int | None = None  # the smallest that was reported: records that come later are not waited for
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

    def take(self, response: object) -> list[Any]:
        """The records of the page that were not there before, in its order; moves on to the next page.

        Raises IncompleteList if the pages repeat themselves before all records have come.
        """
        found = value_at(response, *self._pages.items)
        records = found if isinstance(found, list) else []
        is_shifted = self._is_shifted(records)
        fresh = [record for record in records if self._is_new(record)]
        if self._counts == "pages" and self._previous is None:
            self._skipped *= len(records)
        self._received += len(fresh)
        self._position += 1 if self._counts == "pages" else len(records)
        self._stalled = 0 if fresh and records != self._previous else self._stalled + 1
        total = whole_number(value_at(response, *self._pages.total)) if self._pages.total else None
        if total is not None:
            self._total = total if self._total is None else min(total, self._total)
        is_short = self._total is not None and self._skipped + self._received < self._total
        if records and self._stalled == STALLED_PAGES and is_short:
            raise IncompleteList(
                f"the list has {self._total} records, but its pages only repeat {self._received} of them"
            )
        self.is_finished = not records or self._stalled == STALLED_PAGES or self._is_last(records, total)
        if self.is_finished and is_short:
            logger.warning("the list ended after %d of %s records", self._skipped + self._received, self._total)
        elif is_shifted:
            self._count_records()
        self._previous = records or self._previous
        return fresh

    def _count_records(self) -> None:
        """Let the offset count records from now on."""
        self._counts, self._skipped, self._position = "records", self._start, self._start + self._received
        logger.warning(
            'the offset of this list counts records: set offset_unit="record" (MODELARTS_OFFSET_UNIT) to save requests'
        )
        if self._learn is not None:
            self._learn("record")

    def _is_shifted(self, records: list[Any]) -> bool:
        """Whether pages are counted, and this page is the one before moved by one record."""
        if not self._pages.is_counting_set or self._counts != "pages" or self._previous is None:
            return False
        if len(records) != len(self._previous) or len(records) < SHORTEST_SHIFTED:
            return False
        moved = [self._identifier(record) for record in records[:-1]]
        return None not in moved and moved == [self._identifier(record) for record in self._previous[1:]]

    def _identifier(self, record: object) -> int | str | None:
        identifier = value_at(record, *self._pages.id) if self._pages.id else None
        return identifier if isinstance(identifier, int | str) and identifier != "" else None

    def _is_new(self, record: object) -> bool:
        identifier = self._identifier(record)
        if identifier is None:
            return True
        if identifier in self._seen:
            return False
        self._seen.add(identifier)
        return True

    def _is_last(self, records: list[Any], total: int | None) -> bool:
        reached = self._skipped + self._received
        if total is not None and reached <= total:
            return reached == total
        return self._previous is not None and len(records) < len(self._previous)


def walk(cursor: Cursor, ask: Callable[..., Any]) -> Iterator[Any]:
    """The records, asking for a page when its first record is wanted."""
    while not cursor.is_finished:
        yield from cursor.take(ask(**cursor.question()))


async def walk_async(cursor: Cursor, ask: Callable[..., Awaitable[Any]]) -> AsyncIterator[Any]:
    """The asynchronous twin of `walk`."""
    while not cursor.is_finished:
        for record in cursor.take(await ask(**cursor.question())):
            yield record

"""Which assumptions of the documents (`x-assumption`) the exchanges of a run confirm or contradict.

An overlay says under `assumptions`, by the place of an assumption, how a response settles it. What nobody can tell
from responses alone has no entry, and is "not seen". The kinds:

    fits     schema     values at the place fit its schema and this one, and are known values; empty ones say nothing
    among    place      texts of lists at the place are values at the other place of the document
    of-page  total      the number at the place counts the items of the page, and the member `total` those of all pages
    counts   operation  a later page of the list begins where `x-pagination` says: after pages, or after records
    served   true       the operation succeeds as documented; a page of a portal instead of JSON says nothing
    error    true       an error that has no status of its own has the documented form
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import jsonschema_rs

from modelarts_contract.documents import Documents, load, operations, overlay
from modelarts_contract.exchange import Exchange
from modelarts_contract.run.guard import TEMPORARY
from modelarts_contract.seen import Seen, dig, item_id
from modelarts_documents.keys import Pointer
from modelarts_documents.schema import self_contained

__all__ = ["Assumption", "judged", "places"]

Outcome = Literal["confirmed", "contradicted", "not seen"]
Votes = Iterator[tuple[int, bool]]  # numbers of exchanges, with whether they confirm the assumption
SHOWN = 3  # exchanges that are named
EMPTY: tuple[Any, ...] = (None, "", [], {})


@dataclass(frozen=True)
class Assumption:
    """An assumption of a document, and what the exchanges with these numbers, from 1, say of it."""

    document: str
    place: str
    text: str
    outcome: Outcome = "not seen"
    exchanges: tuple[int, ...] = ()


class Evidence:
    """The exchanges of a document, by their numbers, and the values of its responses by the places of their schemas."""

    def __init__(self, document: str, seen: Mapping[int, Seen]) -> None:
        self.document, self.seen = document, seen
        self.values: defaultdict[Pointer, list[tuple[int, Any, Seen]]] = defaultdict(list)
        for number, each in seen.items():
            for place in each.places:
                for part in place.parts:
                    self.values[part.pointer].append((number, place.value, each))


def judged(exchanges: Iterable[Exchange], names: Iterable[str]) -> list[Assumption]:
    """Every assumption of these documents; one that any exchange contradicts is contradicted.

    Raises LookupError if an overlay names a place that has no assumption, or an unknown kind.
    """
    documents = Documents(names)
    of_document: defaultdict[str, dict[int, Seen]] = defaultdict(dict)
    for number, exchange in enumerate(exchanges, 1):
        if exchange.status and (seen := Seen.of(exchange, documents)) is not None:
            of_document[seen.operation.name][number] = seen
    return [each for name in documents.names for each in of(name, Evidence(name, of_document[name]))]


def of(name: str, evidence: Evidence) -> Iterator[Assumption]:
    """The assumptions of one document."""
    known = places(name)
    declared: Mapping[str, Mapping[str, Any]] = overlay(name).get("assumptions", {})
    if unknown := declared.keys() - known.keys():
        raise LookupError(f"assumptions of {name}: nothing is assumed at {', '.join(sorted(unknown))}")
    for place, (pointer, text) in known.items():
        votes = [
            vote for kind, given in declared.get(place, {}).items() for vote in KINDS[kind](evidence, pointer, given)
        ]
        against = [number for number, confirms in votes if not confirms]
        outcome: Outcome = "contradicted" if against else "confirmed" if votes else "not seen"
        numbers = dict.fromkeys(against or [number for number, _ in votes])
        yield Assumption(name, place, text, outcome, tuple(numbers)[:SHOWN])


@cache
def places(name: str) -> dict[str, tuple[Pointer, str]]:
    """The assumptions of a document by short names of their places, with the ways there and their texts."""
    by_way = {each.pointer: id_ for id_, each in operations(name).items()}

    def inside(part: Any, pointer: Pointer) -> Iterator[tuple[str, tuple[Pointer, str]]]:
        if isinstance(part, dict):
            if isinstance(text := part.get("x-assumption"), str):
                yield named(pointer), (pointer, " ".join(text.split()))
            for key, child in part.items():
                yield from inside(child, (*pointer, str(key))) if key != "example" else ()
        elif isinstance(part, list):
            for number, child in enumerate(part):
                yield from inside(child, (*pointer, str(number)))

    def named(pointer: Pointer) -> str:
        if pointer[:3] in by_way:
            return ".".join((by_way[pointer[:3]], *pointer[3:]))
        rest = pointer[2:] if pointer[:2] == ("components", "schemas") else pointer[1:] or ("document",)
        return ".".join(step for step in rest if step != "properties")

    return dict(inside(load(name), ()))


def fits(evidence: Evidence, pointer: Pointer, schema: Mapping[str, Any]) -> Votes:
    own = dig(load(evidence.document), ".".join(pointer))
    known = {"enum": own["x-known-values"]} if "x-known-values" in own else {}
    both = jsonschema_rs.Draft202012Validator(self_contained(load(evidence.document), {"allOf": [own, known, schema]}))
    for number, value, _ in evidence.values[pointer]:
        if value not in EMPTY:
            yield number, both.is_valid(value)


def among(evidence: Evidence, pointer: Pointer, place: str) -> Votes:
    name, _, member = place.partition(".")
    there = {str(value) for _, value, _ in evidence.values["components", "schemas", name, "properties", member]}
    found = [(number, texts) for number, texts, _ in evidence.values[pointer] if isinstance(texts, list)]
    lists = [(number, set(map(str, texts))) for number, texts in found if there and texts]
    yield from ((number, True) for number, texts in lists if texts & there)
    if not any(texts & there for _, texts in lists):  # one list alone may have values that were retired
        yield from ((number, False) for number, _ in lists)


def of_page(evidence: Evidence, pointer: Pointer, total: str) -> Votes:
    for number, value, seen in evidence.values[pointer]:
        everything, shown = dig(seen.shown, total), len(seen.items)
        if seen.is_success and shown != everything and value in (shown, everything):
            yield number, value == shown


def counts(evidence: Evidence, _pointer: Pointer, operation_id: str) -> Votes:
    operation = operations(evidence.document)[operation_id]
    pages = operation.pagination
    steps = {pages["limit"], pages["position"]}
    lists: defaultdict[str, list[tuple[int, Seen]]] = defaultdict(list)
    for number, seen in evidence.seen.items():
        if seen.operation is operation and seen.items:
            same = {key: value for key, value in seen.given.items() if key not in steps}
            lists[json.dumps([seen.path, same], sort_keys=True)].append((number, seen))
    for pages_of_list in lists.values():
        starts = [seen for _, seen in pages_of_list if not seen.start]
        first = max(starts, key=lambda seen: len(seen.items), default=None)
        ids = [item_id(operation, item) for item in first.items] if first else []
        for number, seen in pages_of_list:
            limit, position = seen.number("limit") or 0, (seen.number("position") or 0) - pages.get("first", 0)
            begins = {"pages": position * limit, "records": position}
            found = item_id(operation, seen.items[0])
            is_same_list = first is not None and first.total == seen.total  # nobody has added to it
            if is_same_list and position > 0 and limit > 1 and found in ids and ids.index(found) in begins.values():
                yield number, ids.index(found) == begins[pages["counts"]]


def served(evidence: Evidence, pointer: Pointer, _: Any) -> Votes:
    for number, seen in evidence.seen.items():
        if seen.operation.pointer == pointer and (seen.shows_something or 300 <= seen.exchange.status < 400):
            yield number, seen.documented is not None and is_as_documented(seen)


def error(evidence: Evidence, pointer: Pointer, _: Any) -> Votes:
    for number, seen in evidence.seen.items():
        key = seen.operation.response_key(seen.exchange.status)
        response = seen.operation.definition["responses"].get(key, {})
        if (
            seen.exchange.status >= 400
            and seen.exchange.status not in TEMPORARY
            and str(response.get("$ref")).split("/")[-2:] == list(pointer[-2:])
        ):
            yield number, is_as_documented(seen)


def is_as_documented(seen: Seen) -> bool:
    """Whether the body fits the schema of the documented response, if there is one."""
    return seen.schema is None or seen.operation.validator(f"body {seen.exchange.status}", seen.schema).is_valid(
        seen.shown
    )


KINDS: Mapping[str, Callable[[Evidence, Pointer, Any], Votes]] = {
    "fits": fits,
    "among": among,
    "of-page": of_page,
    "counts": counts,
    "served": served,
    "error": error,
}

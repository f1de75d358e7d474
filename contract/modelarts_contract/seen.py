"""What an exchange of a documented operation shows: its parameters, its bodies, its list, what is stored."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from email.utils import parsedate_to_datetime
from functools import cache, cached_property
from math import isfinite
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from modelarts_contract.documents import Documents, Link, Operation, Schema, operations, overlay
from modelarts_contract.exchange import Exchange, loads, within
from modelarts_contract.expressions import evaluate, follow
from modelarts_documents.keys import Pointer, is_json
from modelarts_documents.schema import Place, at, json_schema, resolve, walk

LONGEST = 80  # characters of a text in a sentence
MOST = 4  # entries of a list in a sentence
TIMES_MS = 1e12, 1e13  # 2001 and 2286; other numbers are no times in milliseconds
LARGE_PAGE = 100  # items; a service may make a page of this size of a larger one
UUID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
NAMES = ("name", "label", "key", "resource")  # of an entry of a list


class Shown(NamedTuple):
    """What a success shows of something stored: the URL paths that lead to it, its place in the body, and its value."""

    paths: frozenset[str]
    place: str
    value: Any

    def within(self, place: str) -> str:
        """The place in the body of a place in the value."""
        return f"{self.place}.{place}" if self.place else place


@dataclass(frozen=True)
class Seen:
    """An exchange of a documented operation, with what its URL and its bodies say; a body is None unless it is JSON."""

    operation: Operation
    exchange: Exchange
    path: Mapping[str, str]
    query: Mapping[str, Any]  # texts; a list of them of what is given several times
    sent: Any
    shown: Any

    @classmethod
    def of(cls, exchange: Exchange, documents: Documents) -> Seen | None:
        """What was seen; None if no document has the operation."""
        address = urlsplit(exchange.url)
        found = documents.find(exchange.method, address.path)
        if found is None:
            return None
        given = parse_qs(address.query, keep_blank_values=True).items()
        query = {name: texts[0] if len(texts) == 1 else texts for name, texts in given}
        shown = parsed(exchange.response_body)
        exchange = replace(exchange, status=status_of(found[0], exchange.status, shown))
        return cls(found[0], exchange, found[1], query, parsed(exchange.request_body), shown)

    @property
    def is_success(self) -> bool:
        return 200 <= self.exchange.status < 300

    @property
    def shows_something(self) -> bool:
        """Whether it is a success of the service, and not the page of a portal where JSON is documented."""
        return self.is_success and (self.schema is None or self.shown is not None)

    @cached_property
    def documented(self) -> Schema | None:
        """The documented response with this status."""
        return self.operation.response(self.exchange.status)

    @cached_property
    def schema(self) -> Schema | None:
        """The schema of the JSON that the documented response has."""
        return json_schema(self.documented or {})

    @property
    def pointer(self) -> Pointer:
        """The way to the documented response in the document."""
        return (*self.operation.pointer, "responses", str(self.operation.response_key(self.exchange.status)))

    @cached_property
    def places(self) -> list[Place]:
        """The JSON of the response and all that is in it, with the schemas that describe it, if it is documented."""
        if self.documented is None or self.schema is None:
            return []
        media = next(filter(is_json, self.documented["content"]))
        pointer = (*self.pointer, "content", media, "schema")
        return [*walk(self.operation.document, self.schema, self.shown, pointer)]

    def schemas_at(self, place: str) -> list[Schema]:
        """The documented schemas of a value of the response, such as `metadata.id`."""
        return [part.schema for part in at(self.operation.document, self.schema or {}, place.split("."))]

    @cached_property
    def given(self) -> Mapping[str, Any]:
        """The parameters that a list takes: those of the query, or the members of the body."""
        if self.operation.pagination.get("in") == "body":
            return self.sent if isinstance(self.sent, dict) else {}
        return self.query

    @property
    def conditions(self) -> set[str]:
        """The names of what a request sets, but for the page and the order of a list."""
        sent = self.sent if isinstance(self.sent, dict) else {}
        page = {self.operation.pagination.get(role) for role in ("limit", "position")}
        return {*self.query, *sent} - page - {*self.operation.sorting}

    def number(self, role: str) -> int | None:
        """The `limit` or `position` that was asked for."""
        return whole(self.given.get(self.operation.pagination.get(role, "")))

    @cached_property
    def limit(self) -> int | None:
        """The size of the page that was asked for, or the smaller one that the service says it has made of it."""
        name = self.operation.pagination.get("limit", "")
        asked, shown = self.number("limit"), whole(dig(self.shown, self.operation.shown_at(name)))
        return shown if asked and shown and LARGE_PAGE <= shown < asked else asked

    @cached_property
    def start(self) -> int:
        """The index of the first item of the page in the whole list."""
        pagination = self.operation.pagination
        position = self.number("position")
        before = 0 if position is None else max(0, position - pagination.get("first", 0))
        return before * ((self.limit or 0) if pagination["counts"] == "pages" else 1)

    @cached_property
    def items(self) -> list[Any]:
        """The items of a list in pages; nothing if the response has none."""
        return items_of(self.operation, self.shown) if self.is_success else []

    @cached_property
    def entries(self) -> list[Any]:
        """The items of a list in pages, or the first list of another success."""
        if self.operation.pagination or not self.is_success or not isinstance(self.shown, dict):
            return self.items
        return next((value for value in self.shown.values() if isinstance(value, list)), [])

    @cached_property
    def total(self) -> int | None:
        return whole(dig(self.shown, self.operation.pagination.get("total", "")))

    @cached_property
    def date_ms(self) -> int | None:
        """The time of the response by the clock of the service, in ms since 1970; None if it does not state it."""
        try:
            return round(parsedate_to_datetime(self.exchange.response_headers["date"]).timestamp() * 1000)
        except (KeyError, ValueError):
            return None

    @cached_property
    def stored(self) -> list[Shown]:
        """What a success shows of stored objects; a list of parts also shows the object that they are parts of."""
        if not self.is_success:
            return []
        operation, links = self.operation, stored_links(self.operation, self.exchange.status)
        if operation.pagination:
            place = operation.pagination["items"]
            items = [Shown(self._paths(links, n), f"{place}.{n}", item) for n, item in enumerate(self.items)]
            return [*filter(lambda item: item.paths, items), *self._owner()]
        if operation.kind == "create":
            return [Shown(self._paths(links), "", self.shown)]
        if operation.method != "GET" or not operation.path.endswith("}") or not self.places:
            return []
        named = [*{name for part in self.places[0].parts for name in part.schema.get("properties", ())}]
        around = named[0] if len(named) == 1 and isinstance(dig(self.shown, named[0]), dict) else ""
        value = self.shown[around] if around else self.shown  # `{"project": {...}}`
        return [Shown(frozenset({urlsplit(self.exchange.url).path}), around, value)]

    def _owner(self) -> Iterator[Shown]:
        """What a list shows of the object that its items are parts of, where the overlay says that it shows that."""
        for resource in overlay(self.operation.name).get("resources", {}).values():
            if resource["show"] == self.operation.operation_id and isinstance(self.shown, dict):
                owner = operations(self.operation.name)[resource["delete"]].url_path(self.path)
                inner = self.operation.pagination["items"].partition(".")[0]
                yield Shown(frozenset({owner}), "", {name: each for name, each in self.shown.items() if name != inner})

    def _paths(self, links: Iterable[tuple[Link, Operation]], number: int = 0) -> frozenset[str]:
        scope = {"request.path": self.path, "request.query": self.query}
        scope |= {"request.body": self.sent, "response.body": self.shown}
        paths = set()
        for link, target in links:
            values = {**self.path, **evaluate(numbered(link.parameters, number), scope)}
            if all(values.get(name) is not None for name in target.parameter_names):
                paths.add(target.url_path(values))
        return frozenset(paths)


def status_of(operation: Operation, status: int, shown: Any) -> int:
    """The status of a response; of an error of version 1 with 200, as it may have, the one of its documented code."""
    if status != 200 or dig(shown, "is_success") is not False or not dig(shown, "error_code"):
        return status
    for key, response in operation.definition["responses"].items():
        if shown["error_code"] in resolve(operation.document, response).get("x-error-codes", ()) and key != "default":
            return int(key.replace("X", "0"))
    return 400


@cache
def stored_links(operation: Operation, status: int) -> list[tuple[Link, Operation]]:
    """The links of a success to what it has created, or of a list to its first item."""
    targets = operations(operation.name)
    reads = [Link(id_, given) for id_, given in operation.contract.get("reads", {}).items()]
    found = [(link, targets[link.operation_id]) for link in [*operation.links(status), *reads]]
    stored = [(link, each) for link, each in found if each.method in ("GET", "DELETE") and each.path.endswith("}")]
    if operation.kind == "create":  # a job of version 1 comes with a version, which has the same settings
        return stored
    depth = len(operation.path_names) + 1  # a list of jobs may lead to a version of each, too, which is another object
    return [(link, each) for link, each in stored if len(each.path_names) == depth]


def numbered(parameters: Mapping[str, Any], number: int) -> dict[str, Any]:
    """The expressions of a link to the first item, for another one."""
    return {
        name: re.sub(r"/0(?=/|$)", f"/{number}", text, count=1) if "$response.body" in str(text) else text
        for name, text in parameters.items()
    }


def parsed(body: bytes) -> Any:
    """The JSON value; None if the text is not JSON."""
    try:
        return loads(body, keep_exponents=True)
    except ValueError:
        return None


def dig(value: Any, place: str) -> Any:
    """The value at a place, such as `metadata.id`, or `4` in a list; None if nothing is there."""
    return follow(value, place.split("."))


def items_of(operation: Operation, shown: Any) -> list[Any]:
    """The items of a response of a list."""
    found = dig(shown, operation.pagination.get("items", ""))
    return found if isinstance(found, list) else []


def item_id(operation: Operation, item: Any) -> str:
    """The id of an item of a list; the item itself if it has none."""
    place = id_place(operation)
    return str(dig(item, place) if place else item)


def id_place(operation: Operation) -> str:
    """Where an item of a list has its id; empty if it has none."""
    return str(operation.contract.get("item-id") or operation.pagination.get("id", ""))


def whole(value: Any) -> int | None:
    """A whole number, also one that is written as text."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    return int(value) if re.fullmatch(r"-?\d{1,300}", str(value)) else None


def moment(value: str) -> float | None:
    """A time of RFC 3339 in seconds; None for another text."""
    try:
        return datetime.fromisoformat(value).timestamp() if "T" in value else None
    except ValueError:
        return None


def is_same(one: Any, other: Any) -> bool:
    """Whether two values are the same: a number may be text, and slashes at the ends of paths say nothing."""
    if isinstance(one, str) and isinstance(other, str):
        return one.strip("/") == other.strip("/")
    is_scalar = all(isinstance(each, str | int | float) and not isinstance(each, bool) for each in (one, other))
    return bool(one == other or (is_scalar and str(one) == str(other)) or is_rounded(one, other))


def is_rounded(one: Any, other: Any) -> bool:
    """Whether both are the same time in milliseconds, one of which was rounded to seconds."""
    low, high = sorted(whole(each) or 0 for each in (one, other))
    return TIMES_MS[0] < low < high < min(low + 1000, TIMES_MS[1]) and 0 in (low % 1000, high % 1000)


def texts(value: Any) -> Iterator[str]:
    return (each for _, each in within(value) if isinstance(each, str))


def values(shown: Any, place: str) -> list[Any]:
    """The values at a place, in which `*` stands for every entry of a list, or member."""
    head, star, rest = place.partition("*")
    found = dig(shown, head.rstrip(".")) if head.rstrip(".") else shown
    if not star:
        return [] if found is None else [found]
    rest = rest.lstrip(".")
    entries = list(found.values()) if isinstance(found, dict) else found if isinstance(found, list) else []
    return [each for entry in entries for each in (values(entry, rest) if rest else [entry])]


def leaves(value: Any, place: str = "") -> dict[str, Any]:
    """The texts and numbers by their places; of lists, the values that have a name each, or all texts and numbers."""
    if isinstance(value, list) and value and not any(isinstance(each, dict | list) for each in value):
        return {place.removeprefix("."): sorted(value, key=str)} if place else {}
    value = named_values(value) or value
    if isinstance(value, dict):
        return {name: leaf for key, child in value.items() for name, leaf in leaves(child, f"{place}.{key}").items()}
    is_leaf = isinstance(value, str | int | float) and value != ""
    return {place.removeprefix("."): value} if is_leaf and place else {}


def readable(value: Any) -> str:
    """A JSON value as it stands in a sentence: texts are cut off, and of what is in objects only names are shown."""
    if isinstance(value, str):
        return repr(value if len(value) <= LONGEST else f"{value[:LONGEST]}...")
    if isinstance(value, dict):
        return f"an object with {', '.join(map(str, value))}" if value else "an empty object"
    if isinstance(value, list | tuple):
        more = f" and {len(value) - MOST} more" if len(value) > MOST else ""
        return ", ".join(map(readable, value[:MOST])) + more if value else "an empty list"
    if isinstance(value, float) and not isfinite(value):
        return "no finite number"
    return str(int(value)) if isinstance(value, float) and value.is_integer() else json.dumps(value)


def named_values(value: Any) -> dict[str, Any]:
    """The entries of a list such as `[{"name": "lr", "value": "0.1"}]` by their names; version 1 calls these labels.

    Maps in a list, such as `[{"A": "1"}, {"B": "2"}]`, are taken together.
    """
    entries = value if isinstance(value, list) else []
    named = [(next((name for key in NAMES if (name := dig(entry, key))), None), entry) for entry in entries]
    if not all(isinstance(name, str) for name, _ in named):
        are_maps = all(
            isinstance(each, dict) and all(isinstance(inner, str) for inner in each.values()) for each in entries
        )
        return {name: inner for each in entries for name, inner in each.items()} if are_maps else {}
    return {str(name): entry.get("value", entry) for name, entry in named}

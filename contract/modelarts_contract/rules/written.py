"""Rules about what was written: responses show it, an update changes nothing else, and what is fixed stays."""

from __future__ import annotations

import copy
import re
from collections.abc import Container, Iterable, Iterator
from functools import lru_cache
from itertools import accumulate
from typing import Any
from urllib.parse import urlsplit

from modelarts_contract.documents import Documents, Operation, Schema
from modelarts_contract.finding import Finding, Kind
from modelarts_contract.redaction import is_replaced
from modelarts_contract.rules.memory import VOLATILE, Memory, Thing
from modelarts_contract.seen import Seen, dig, is_same, leaves
from modelarts_documents.keys import Pointer
from modelarts_documents.schema import Part, members, parts, walk

__all__ = ["RULES", "is_due"]

MOVING = re.compile(r"reference|annotations|pool|ips?$")  # what a service may add to or resolve
NAMING = re.compile(r"(^|_)(name|description|desc)$")


def written_is_shown(seen: Seen, memory: Memory) -> Iterator[Finding]:
    """What was written is shown: names and descriptions as they were sent; an update changes nothing else."""
    path = urlsplit(seen.exchange.url).path
    if seen.operation.method == "PUT" and seen.is_success:
        sent, thing = written_leaves(seen.sent), memory.things[path]
        thing.written_at = seen.exchange.started_at.timestamp()
        thing.written |= sent
        thing.changed = sent
        for place, part in memory.things.items():
            if place.startswith(f"{path}/"):
                part.written |= {name: value for name, value in sent.items() if name in part.written}
        thing.before = thing.shown  # the same dict: what is shown next is compared with it once
        if isinstance(seen.shown, dict):
            yield from differences(seen, path, seen.shown, thing)
        return
    if seen.operation.method == "POST" and seen.operation.kind == "change":
        for place, part in memory.things.items():
            part.before = {} if f"{path}/".startswith(f"{place}/") else part.before
    is_new = seen.operation.kind == "create"
    for paths, shown in [*seen.things, *around(seen, path, memory)]:
        for each in sorted(paths):
            thing = memory.things[each]
            is_early = seen.exchange.started_at.timestamp() - thing.written_at < memory.lag_s
            if is_early and not all(shows(shown, name, value) for name, value in thing.changed.items()):
                continue
            if is_new:
                kept_back = seen.operation.contract.get("not-read-back", ())
                sent = written_leaves(with_defaults(seen.operation, seen.sent))
                thing.written = {name: value for name, value in sent.items() if not is_in(name, kept_back)}
                thing.defaults = frozenset(sent.keys() - written_leaves(seen.sent).keys())
            yield from differences(seen, each, shown, thing)


def around(seen: Seen, path: str, memory: Memory) -> Iterator[tuple[set[str], Any]]:
    """What a list of parts, such as the versions of a job, says of their owner: its name and description."""
    whose = path.rpartition("/")[0]
    if seen.operation.pagination and whose in memory.things and isinstance(seen.shown, dict):
        yield {whose}, {name: value for name, value in seen.shown.items() if is_naming(name)}


def shows(shown: Any, name: str, value: Any) -> bool:
    """Whether a value is shown as it was sent, or not at all."""
    found = [each for place in (name, f"metadata.{name}") if (each := dig(shown, place)) is not None]
    return not found or any(is_same(each, value) if type(each) is type(value) else False for each in found)


def differences(seen: Seen, path: str, shown: Any, thing: Thing) -> Iterator[Finding]:
    """The differences between a thing as it is shown, as it was written, and as it was shown before."""
    now = leaves(shown)
    for name, value in thing.written.items():
        shown_as = {each: now.get(each, dig(shown, each)) for each in (name, f"metadata.{name}")}
        is_missing = name not in thing.defaults and not any(each in now for each in shown_as)
        if value and is_missing and is_due(seen, shown_as):
            yield Finding.of(seen, Kind.UPDATE, f"{name} was written as {value!r}, and is not shown", name)
            del thing.written[name]
            return
        place = next((each for each, found in shown_as.items() if type(found) is type(value)), "")
        if name in thing.defaults and is_replaced(str(shown_as.get(place, ""))):  # a recording that is redacted
            continue
        if place and (shown_as[place] or is_naming(name)) and not is_same(shown_as[place], value):
            kind = Kind.NAME if is_naming(name) else Kind.UPDATE
            how = "has the default" if name in thing.defaults else "was written as"
            yield Finding.of(seen, kind, f"{place} {how} {value!r}, and {shown_as[place]!r} is shown", place)
            del thing.written[name]
            return
    written = {name.rpartition(".")[2] for name in thing.written}
    for name, value in thing.before.items():
        if (
            name in now
            and not is_same(now[name], value)
            and value not in ("", None)
            and name.rpartition(".")[2] not in written
        ):
            message = f"{name} was {value!r} before an update of others, and is {now[name]!r}"
            yield Finding.of(seen, Kind.UPDATE, message, name)
            thing.before = {}
            break
    identity = {name: value for name, value in now.items() if is_fixed(seen.operation.name, path, name)}
    for name, value in thing.shown.items():
        if name in identity and value and not is_same(value, identity[name]):
            message = f"{name} of {path} was {value!r}, and is {identity[name]!r}"
            yield Finding.of(seen, Kind.IDENTITY, message, name)
    constant = {name: value for name, value in now.items() if name.count(".") < 2 and not VOLATILE.search(name)}
    thing.shown |= constant | identity


def is_due(seen: Seen, places: Iterable[str]) -> bool:
    """Whether the response, which shows one thing, is documented to show a value at one of these places."""
    shows_one = seen.operation.method == "GET" and not seen.operation.pagination
    return shows_one and any(map(seen.schemas_at, places))


def written_leaves(sent: Any) -> dict[str, Any]:
    """What a request writes, by places in what is shown: version 1 shows the members of `config` beside the others."""
    return {name.removeprefix("metadata.").removeprefix("config."): value for name, value in leaves(sent).items()}


def with_defaults(operation: Operation, sent: Any) -> Any:
    """What a request sends, with the documented values of what it leaves out."""
    found = copy.deepcopy(sent)
    for place in walk(operation.document, operation.body_schema() or {}, found):
        for part in place.parts if isinstance(place.value, dict) else ():
            for name, inner in part.schema.get("properties", {}).items():
                if name not in place.value and "default" in inner:
                    place.value[name] = copy.deepcopy(inner["default"])
    return found


def is_naming(name: str) -> bool:
    return bool(NAMING.search(name.rpartition(".")[2])) and name.count(".") < 2


def is_fixed(document: str, path: str, name: str) -> bool:
    """Whether a value never changes: an id, a time of creation, and what a creation sets and no update takes."""
    if is_in(name, body_places(document, "PUT", path)):
        return False
    member = name.rpartition(".")[2]
    is_set = is_in(name, body_places(document, "POST", path.rpartition("/")[0])) and not VOLATILE.search(name)
    return member in ("create_time", "id") or (is_set and not MOVING.search(name))


def is_in(name: str, places: Container[str]) -> bool:
    """Whether the place of this name, or one that it is in, is one of the places."""
    return any(place in places for place in accumulate(name.split("."), "{}.{}".format))


@lru_cache(1024)
def body_places(document: str, method: str, path: str) -> frozenset[str]:
    """The places of what a request takes: version 1 shows `config` beside the rest, version 2 some in `metadata`."""
    found = Documents((document,)).find(method, path)
    if found is None or (body := found[0].body_schema()) is None:
        return frozenset()
    places = {
        place.removeprefix("config.") for place in places_of(found[0].document, [*parts(found[0].document, body)])
    }
    return frozenset({*places, *(f"metadata.{place}" for place in places)})


def places_of(
    document: Schema, schemas: list[Part], place: str = "", above: frozenset[Pointer] = frozenset()
) -> Iterator[str]:
    """The places of the members of schemas: of objects those inside, of lists the list, and of what is in itself it."""
    objects = frozenset(part.pointer for part in schemas if "properties" in part.schema)
    names = {name for part in schemas for name in part.schema.get("properties", ()) if not objects & above}
    for name in names:
        inner = members(document, schemas, name)
        yield from places_of(document, inner, f"{place}.{name}".removeprefix("."), above | objects)
    if not names:
        yield place


RULES = (written_is_shown,)

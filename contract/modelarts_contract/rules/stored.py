"""Rules about what a service stores: what was written is shown, operations agree, and what was deleted is gone."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate
from typing import Any
from urllib.parse import urlsplit

from modelarts_contract.documents import Documents, Operation, is_not_found
from modelarts_contract.finding import Finding, Kind
from modelarts_contract.redaction import is_replaced
from modelarts_contract.rules.facts import varies
from modelarts_contract.rules.memory import Memory, Stored
from modelarts_contract.seen import Seen, Shown, dig, is_same, leaves, readable
from modelarts_documents.schema import at, walk

__all__ = ["RULES", "is_absent", "is_late"]


def operations_agree(seen: Seen, memory: Memory) -> Iterator[Finding]:
    """What several operations show of an object is the same, as soon as it is not just being changed."""
    for shown in seen.stored:
        stated = leaves(shown.value)
        for path in shown.paths:
            lacking = [
                name
                for name in memory.statements.current[path]
                if name not in stated and dig(shown.value, name) in ("", [], {}, None)  # no object for a text
                if is_due(seen, shown.within(name)) or is_empty(shown.value, name)
            ]
            for name, value in {**dict.fromkeys(lacking), **stated}.items():
                if may_vary(seen, shown.within(name)):
                    continue
                if other := memory.statements.contradicting(path, name, value, seen, memory.lag_s):
                    text = f"{readable(value)}, and {readable(other[1])} in {other[0]}"
                    yield Finding.of(seen, Kind.IDENTITY, f"{name} of {path} is {text}", name)


def may_vary(seen: Seen, place: str) -> bool:
    """Whether a value may differ between two responses: a duration, or one of which the overlay says so."""
    is_duration = any("x-duration-unit" in schema for schema in seen.schemas_at(place))
    return is_duration or varies(seen.operation, seen.exchange.status, place)


def is_empty(shown: Any, place: str) -> bool:
    """Whether something is shown as empty where a value would be; null may also say that a list leaves it out."""
    step, _, rest = place.partition(".")
    if not isinstance(shown, dict) or step not in shown:
        return False
    return shown[step] in ("", [], {}) or is_empty(shown[step], rest)


def is_due(seen: Seen, *places: str) -> bool:
    """Whether the response, which shows one object, is documented to show a value at one of these places."""
    shows_one = seen.operation.method == "GET" and not seen.operation.pagination
    return shows_one and any(map(seen.schemas_at, places))


def deleted_is_gone(seen: Seen, memory: Memory) -> Iterator[Finding]:
    """What was deleted is neither shown nor listed, as soon as the time of a deletion is over."""
    path, method = urlsplit(seen.exchange.url).path, seen.operation.method
    now = seen.exchange.started_at.timestamp()
    if method == "DELETE" and seen.is_success:
        ended_at = seen.exchange.ended_at.timestamp()
        memory.stored[path] = Stored(gone_at=ended_at + max(memory.deletion_s, memory.lag_s))
        return
    if seen.operation.kind == "create":
        for shown in seen.stored:
            memory.forget(shown.paths)
        return
    for gone, stored in memory.stored.items():
        if stored.gone_at is None:
            continue
        if path == gone and method == "GET" and is_absent(seen):
            stored.gone_at = min(stored.gone_at, now + memory.lag_s)
        elif now <= stored.gone_at:
            continue
        elif method == "GET" and seen.is_success and f"{path}/".startswith(f"{gone}/"):
            yield Finding.of(seen, Kind.DELETED, f"{gone} was deleted, and is shown")
        elif any(gone in shown.paths for shown in seen.stored):
            yield Finding.of(seen, Kind.DELETED, f"{gone} was deleted, and is listed")


def is_absent(seen: Seen) -> bool:
    """Whether a rejection says that something does not exist."""
    code = seen.shown.get("error_code") if isinstance(seen.shown, dict) else None
    return is_not_found(seen.operation.name, seen.exchange.status, code)


def written_is_shown(seen: Seen, memory: Memory) -> Iterator[Finding]:
    """What was written is shown as it was sent, until an update sets it or leaves it out; nothing else changes."""
    path = urlsplit(seen.exchange.url).path
    if seen.operation.method == "PUT" and seen.is_success:
        sent, stored = written(seen.operation, seen.sent), memory.stored[path]
        stored.updated_at = seen.exchange.ended_at.timestamp()
        removable = {name for name in stored.written if takes(seen.operation.name, "PUT", path, name)}
        stored.written = {name: value for name, value in stored.written.items() if name not in removable} | sent
        stored.updated = sent
        for place, part in memory.stored.items():
            if place.startswith(f"{path}/"):
                part.written |= {name: value for name, value in sent.items() if name in part.written}
        stored.before = stored.shown  # the same dict: what is shown next is compared with it once
        if isinstance(seen.shown, dict):
            yield from differences(seen, path, Shown(frozenset({path}), "", seen.shown), stored)
        return
    if seen.operation.method == "POST" and seen.operation.kind == "change":
        for place, part in memory.stored.items():
            part.before = {} if f"{path}/".startswith(f"{place}/") else part.before
    for shown in seen.stored:
        for each in sorted(shown.paths):
            stored = memory.stored[each]
            if is_late(seen, shown, stored, memory.lag_s):
                continue
            if seen.operation.kind == "create":
                stored.written = written(seen.operation, with_defaults(seen.operation, seen.sent))
                stored.defaults = frozenset(stored.written.keys() - written(seen.operation, seen.sent).keys())
            yield from differences(seen, each, shown, stored)


def is_late(seen: Seen, shown: Shown, stored: Stored, lag_s: float) -> bool:
    """Whether an object was updated a moment ago, and is not yet shown so."""
    is_young = seen.exchange.started_at.timestamp() - stored.updated_at < lag_s
    return is_young and not all(shows(shown.value, name, value) for name, value in stored.updated.items())


def shows(shown: Any, name: str, value: Any) -> bool:
    """Whether a value is shown as it was sent, or not at all."""
    found = leaves(shown).get(name, dig(shown, name))
    return found is None or (type(found) is type(value) and is_same(found, value))


def differences(seen: Seen, path: str, shown: Shown, stored: Stored) -> Iterator[Finding]:
    """The differences between an object as it is shown, as it was written, and as it was shown before."""
    now = {name: value for name, value in leaves(shown.value).items() if not is_varying(seen, shown, name)}
    for name, value in stored.written.items():
        if is_varying(seen, shown, name):
            continue
        found = now.get(name, dig(shown.value, name))
        is_default = name in stored.defaults
        if value and not is_default and name not in now and is_due(seen, shown.within(name)):
            text = f"{name} was written as {readable(value)}, and is not shown"
        elif type(found) is not type(value) or is_same(found, value) or (is_default and is_replaced(str(found))):
            continue
        else:
            how = "has the default" if is_default else "was written as"
            text = f"{name} {how} {readable(value)}, and {readable(found)} is shown"
        yield Finding.of(seen, Kind.UPDATE, text, name)
        del stored.written[name]
        return
    for name, value in stored.before.items():
        if name in now and not is_same(now[name], value) and name not in stored.written:
            message = f"{name} was {readable(value)} before an update of others, and is {readable(now[name])}"
            yield Finding.of(seen, Kind.UPDATE, message, name)
            stored.before = {}
            break
    document, parent = seen.operation.name, path.rpartition("/")[0]
    updatable = {name for name in now if takes(document, "PUT", path, name)}
    created = {name for name in now if takes(document, "POST", parent, name)}
    for name, value in stored.shown.items():
        if name in created - updatable and value and not is_same(value, now[name]):
            message = f"{name} of {path} was {readable(value)}, and is {readable(now[name])}"
            yield Finding.of(seen, Kind.IDENTITY, message, name)
    stored.shown |= {name: now[name] for name in created | updatable}


def is_varying(seen: Seen, shown: Shown, name: str) -> bool:
    return varies(seen.operation, seen.exchange.status, shown.within(name))


def written(operation: Operation, sent: Any) -> dict[str, Any]:
    """What a request writes, by the places at which responses show it."""
    return {operation.shown_at(name): value for name, value in leaves(sent).items()}


def with_defaults(operation: Operation, sent: Any) -> Any:
    """What a request sends, with the documented values of what it leaves out."""
    found = copy.deepcopy(sent)
    for place in walk(operation.document, operation.body_schema() or {}, found):
        for part in place.parts if isinstance(place.value, dict) else ():
            for name, inner in part.schema.get("properties", {}).items():
                if name not in place.value and "default" in inner:
                    place.value[name] = copy.deepcopy(inner["default"])
    return found


@lru_cache(10_000)
def takes(document: str, method: str, path: str, name: str) -> bool:
    """Whether a request sets what is shown at a place, or something that is around it and has no members."""
    found = Documents((document,)).find(method, path)
    schema = found[0].body_schema() if found else None
    if found is None or schema is None:
        return False
    for place in found[0].sent_at(name):
        ways = [*accumulate(place.split("."), "{}.{}".format)]
        parts = [at(found[0].document, schema, way.split(".")) for way in ways]
        last = next((each for each in reversed(parts) if each), [])
        if parts[-1] or (last and not any({"properties", "items"} & part.schema.keys() for part in last)):
            return True
    return False


RULES = (operations_agree, deleted_is_gone, written_is_shown)

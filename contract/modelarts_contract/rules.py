"""Rules about the meaning of exchanges, which no schema states: for runs, checks, replays and the pytest marker alike.

Each rule is a function of what was seen in one exchange and of the memory of the session. What it needs to know are
extensions of the documents (`x-pagination`, links, `x-time-unit`) and, in the overlays, `filters` and `sorted-by`.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any
from urllib.parse import urlsplit

from modelarts_openapi.phases import PHASES_OF_STATUSES, TRANSITIONS

from .documents import ABSENT, Documents, Operation, json_schema, resolve
from .exchange import Exchange
from .seen import Seen, dig, id_place, item_id, leaves, texts, whole
from .validation import Finding, Kind, findings

__all__ = ["STEPS", "Session", "judged", "known_names", "phase_of", "properties_of"]

DELETION_S = 10.0  # how long a thing may be shown after its deletion was accepted with 202
PAGES_S = 30.0  # how far apart two pages may be to be compared
VOLATILE = re.compile(r"status|phase|duration|time|count|record|progress|task|event|version|update", re.IGNORECASE)
NAMING = re.compile(r"(^|_)(name|description|desc)$")
PATH = re.compile(r"(?<![\w.:/-])/(?:home|root|usr|opt|srv|tmp|proc|etc|app|var)/[\w.-]+(?:/[\w.-]+)*")
INTERNAL = re.compile(
    r"Traceback \(most recent|\bat [\w$.]+\([\w$]+\.(?:java|go|py):\d+\)|\bjdbc:|\bFile \"[^\"]+\", line"
)
SECRET = re.compile(
    r"(?:password|passwd|secret|token|credential)\w*[\"']?\s*[:=]\s*[\"']?[^\s\"',;}]{4,}", re.IGNORECASE
)


# What a rule can stumble over in a response that is not as documented.
MALFORMED = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError)


def steps() -> dict[str, set[str]]:
    """The phases that can be seen after each phase that is not final; phases between them may not be seen."""
    found = {str(phase): {str(each) for each in following} for phase, following in TRANSITIONS.items() if following}
    for _ in found:
        for phase, after in found.items():
            after |= set().union(*(found.get(each, set()) for each in after)) - {phase}
    return found


STEPS = steps()


@dataclass
class Memory:
    """What a session knows: deletions, values that were written, phases, and pages of lists."""

    deleted: dict[str, tuple[float, bool]] = field(default_factory=dict)
    written: dict[str, dict[str, Any]] = field(default_factory=dict)
    before: dict[str, dict[str, Any]] = field(default_factory=dict)
    shown: dict[str, dict[str, Any]] = field(default_factory=dict)
    phases: dict[str, str] = field(default_factory=dict)
    pages: dict[str, dict[int, tuple[str, int, float]]] = field(default_factory=dict)

    def forget(self, paths: Iterable[str]) -> None:
        """Forget what was known at these paths and below: what is created there now is something else."""
        for known in (self.deleted, self.written, self.before, self.shown, self.phases):
            for path in [each for each in known if any(f"{each}/".startswith(f"{gone}/") for gone in paths)]:
                del known[path]


class Session:
    """Judges the exchanges of one session in their order; `secrets` must not be in any error."""

    def __init__(self, documents: Documents, secrets: Iterable[str] = ()) -> None:
        self.documents = documents
        self.secrets = [secret for secret in secrets if len(secret) >= 6]
        self.memory = Memory()

    def see(self, exchange: Exchange, *, rejected_requests: bool = False) -> list[Finding]:
        """What is wrong with the exchange or new in it, by the documents and by the rules."""
        found = list(findings(exchange, self.documents, rejected_requests=rejected_requests))
        seen = Seen.of(exchange, self.documents)
        if seen is None or not exchange.status or not exchange.has_body:
            return found
        for rule in RULES:
            with contextlib.suppress(*MALFORMED):  # the schema says that it is
                found += rule(seen, self.memory)
        text = exchange.response_body.decode("utf-8", "replace")
        if exchange.status >= 400 and any(secret in text for secret in self.secrets):
            found.append(seen.finding(Kind.LEAK, "the error shows a secret of this session"))
        return found

    def forget_pages(self) -> None:
        """Begin to compare pages anew."""
        self.memory.pages.clear()


def judged(
    exchanges: Iterable[Exchange], documents: Documents, *, rejected_requests: bool = False
) -> Iterator[tuple[Exchange, list[Finding]]]:
    """Judge exchanges in their order, those with each host as a session of its own."""
    sessions: dict[str, Session] = {}
    for exchange in exchanges:
        session = sessions.setdefault(urlsplit(exchange.url).netloc, Session(documents))
        yield exchange, session.see(exchange, rejected_requests=rejected_requests)


Rule = Callable[[Seen, Memory], Iterator[Finding]]


def success_is_success(seen: Seen, _: Memory) -> Iterator[Finding]:
    """A success of version 1 says that it is one."""
    documented = seen.operation.response(seen.exchange.status)
    schema = documented and json_schema(documented)
    if not seen.is_success or not schema or not isinstance(seen.shown, dict):
        return
    if "is_success" in resolve(seen.operation.document, schema).get("properties", {}):
        if "is_success" not in seen.shown:
            yield seen.finding(Kind.SUCCESS, "is_success is missing in a success", "is_success")
        elif seen.shown["is_success"] is False:
            yield seen.finding(Kind.SUCCESS, f"is_success is false with status {seen.exchange.status}", "is_success")


def content_is_typed(seen: Seen, _: Memory) -> Iterator[Finding]:
    """JSON is sent as JSON."""
    headers, documented = seen.exchange.response_headers, seen.operation.response(seen.exchange.status)
    if not headers or documented is None or not seen.exchange.response_body or json_schema(documented) is None:
        return
    media = headers.get("content-type", "")
    if "json" not in media:
        said = f"is {media!r}" if media else "is missing"
        yield seen.finding(Kind.CONTENT_TYPE, f"the Content-Type {said}, the body is documented as JSON")


def errors_tell_no_secrets(seen: Seen, _: Memory) -> Iterator[Finding]:
    """An error shows neither paths nor internals of the service, but for what the request itself said."""
    if seen.exchange.status < 400:
        return
    request = seen.exchange.url + seen.exchange.request_body.decode("utf-8", "replace")
    for text in texts(seen.shown):
        for form, what in ((PATH, "a path"), (INTERNAL, "internals"), (SECRET, "a secret")):
            match = form.search(text)
            if match and match[0] not in request:
                yield seen.finding(Kind.LEAK, f"the error shows {what} of the service: {text[:80]!r}")


def pages_have_their_size(seen: Seen, _: Memory) -> Iterator[Finding]:
    """A page has at most `limit` items, each once."""
    limit = seen.number("limit") or seen.operation.pagination.get("largest")
    if not seen.items or turned_off(seen):
        return
    if limit and len(seen.items) > limit:
        yield seen.finding(Kind.PAGE_SIZE, f"a page of at most {limit} has {len(seen.items)} items")
    ids = [item_id(seen.operation, item) for item in seen.items]
    if id_place(seen.operation) and len(set(ids)) < len(ids):
        twice = next(each for each in ids if ids.count(each) > 1)
        yield seen.finding(Kind.PAGES, f"a page shows {twice} twice")


def totals_fit(seen: Seen, _: Memory) -> Iterator[Finding]:
    """A total is not negative, not less than what pages show, and pages before the last are full."""
    total, limit, end = seen.total, seen.number("limit"), 0
    if not seen.is_success or total is None:
        return
    where = seen.operation.pagination["total"]
    if total < 0:
        yield seen.finding(Kind.TOTAL, f"{where} is {total}", where)
        return
    if turned_off(seen):
        return
    end = seen.start + len(seen.items)
    if seen.items and total < end:
        yield seen.finding(Kind.TOTAL, f"{where} is {total}, and {end} items were shown", where)
    if limit and limit <= seen.operation.pagination.get("largest", limit) and len(seen.items) < limit and end < total:
        message = f"{where} is {total}, and a page of {limit} from item {seen.start} on has {len(seen.items)}"
        yield seen.finding(Kind.TOTAL, message, where)


def pages_fit_together(seen: Seen, memory: Memory) -> Iterator[Finding]:
    """Pages of any size show the same items at the same places of the list, as long as its total is the same."""
    if seen.operation.kind != "read" and seen.is_success:
        memory.pages.clear()
    total, ignored = seen.total, {seen.operation.pagination.get(role) for role in ("limit", "position")}
    conditions = {name: value for name, value in seen.given.items() if name not in ignored}
    if total is None or not seen.items or turned_off(seen) or VOLATILE.search(json.dumps(conditions)):
        return
    key = f"{urlsplit(seen.exchange.url).path} {json.dumps(conditions, sort_keys=True)}"
    known, now = memory.pages.setdefault(key, {}), seen.exchange.started_at.timestamp()
    page = {seen.start + number: item_id(seen.operation, item) for number, item in enumerate(seen.items)}
    for number, shown in list(known.items()):
        if shown[1] != total or now - shown[2] > PAGES_S:
            del known[number]
    places = {shown[0]: number for number, shown in known.items()} if id_place(seen.operation) else {}
    for number, id_ in page.items():
        other, elsewhere = known.get(number), places.get(id_)
        if other is not None and other[0] != id_:
            yield seen.finding(Kind.PAGES, f"item {number} of the list is {id_}, and was {other[0]} on another page")
            break
        if elsewhere is not None and elsewhere != number:
            yield seen.finding(Kind.PAGES, f"{id_} is item {number} of the list, and was item {elsewhere}")
            break
    known |= {number: (id_, total, now) for number, id_ in page.items()}


def order_is_as_asked(seen: Seen, _: Memory) -> Iterator[Finding]:
    """A list has the order that was asked for; how a service compares punctuation is its own affair."""
    template = seen.operation.contract.get("sorted-by")
    if template is None or len(seen.items) < 2:
        return
    by = next((name for name in ("sort_by", "sortBy") if name in known_names(seen.operation)), "")
    if not any(seen.given.get(name) for name in ("order", by)):
        return
    key = seen.given.get(by) or default_of(seen.operation, by)
    order = seen.given.get("order") or default_of(seen.operation, "order")
    if order not in ("asc", "desc") or (by and not isinstance(key, str)):
        return
    member = template.format(key)
    values = [value for item in seen.items if (value := dig(item, member)) not in (None, "")]
    for before, after in pairwise(values if order == "asc" else values[::-1]):
        if type(before) is type(after) and is_greater(before, after):
            shown = (before, after) if order == "asc" else (after, before)
            yield seen.finding(
                Kind.ORDER, f"order {order} by {member}, and {shown[0]!r} is before {shown[1]!r}", member
            )
            return


def is_greater(one: Any, other: Any) -> bool:
    """Whether it is greater in every order that a service may use."""
    if not isinstance(one, str):
        return bool(one > other)
    forms: tuple[Callable[[str], Any], ...] = (str, str.casefold, lambda text: re.sub(r"[\W_]+", "", text).casefold())
    return all(form(one) > form(other) for form in forms)


def filters_hold(seen: Seen, _: Memory) -> Iterator[Finding]:
    """A list has only what meets its conditions."""
    filters = seen.operation.contract.get("filters", {})
    items = seen.items or (list_in(seen) if filters and seen.is_success else [])
    for name, rule in filters.items() if items else ():
        given = seen.given.get(name) if seen.operation.pagination else seen.query.get(name)
        for member, operator, values in conditions_of(rule, given):
            wrong = next((item for item in items if not meets(item, member, operator, values)), None)
            if wrong is not None:
                shown = dig(wrong, member) if member else item_id(seen.operation, wrong)
                text = f"{member or name} {operator} {', '.join(map(str, values))}, and {shown!r} is shown"
                yield seen.finding(Kind.FILTER, f"{name}: {text}", name)


def conditions_of(rule: Mapping[str, Any], given: Any) -> Iterator[tuple[str, str, list[Any]]]:
    """The conditions of a parameter as member, operator and values."""
    if given in (None, "", []):
        return
    if "members" not in rule:
        if given not in rule.get("except", ()):
            yield rule.get("member", ""), rule["operator"], [given]
        return
    if isinstance(given, str):  # `key:text`
        key, _, text = given.partition(":")
        given = [{"key": key, "operator": rule["operator"], "value": [text]}]
    for condition in given if isinstance(given, list) else ():
        if isinstance(condition, dict) and condition.get("key") in rule["members"]:
            values = [value for value in condition.get("value") or () if value != ""]
            if values and isinstance(condition.get("operator"), str):
                yield rule["members"][condition["key"]], condition["operator"], values


def meets(item: Any, member: str, operator: str, values: list[Any]) -> bool:
    """Whether an item meets a condition; an unknown operator, or a member that is missing, says nothing."""
    if operator == "text":
        return any(str(values[0]).casefold() in text.casefold() for text in texts(item))
    value = dig(item, member)
    if value is None:
        return True
    if operator == "like":
        return all(str(each).casefold() in str(value).casefold() for each in values)
    if operator in ("equal", "in", "not"):
        return (str(value).casefold() in {str(each).casefold() for each in values}) is (operator != "not")
    numbers = [whole(each) for each in (value, *values)]
    if operator == "between" and len(numbers) == 3 and None not in numbers:
        return numbers[1] <= numbers[0] <= numbers[2]  # type: ignore[operator]
    return True


def deleted_is_gone(seen: Seen, memory: Memory) -> Iterator[Finding]:
    """What was deleted is neither shown nor listed; after status 202, a moment may pass."""
    path, now = urlsplit(seen.exchange.url).path, seen.exchange.started_at.timestamp()
    if seen.operation.method == "DELETE" and seen.is_success:
        memory.deleted[path] = now, seen.exchange.status != 202
        for known in (memory.written, memory.shown, memory.phases, memory.before):
            known.pop(path, None)
        return
    if seen.operation.kind == "create":
        for paths, _ in seen.things:
            memory.forget(paths)
        return
    for gone, (since, is_gone) in list(memory.deleted.items()):
        is_late = is_gone or now - since > DELETION_S
        if path == gone and seen.operation.method == "GET" and is_absent(seen):
            memory.deleted[gone] = since, True
        elif is_late and seen.operation.method == "GET" and seen.is_success and f"{path}/".startswith(f"{gone}/"):
            yield seen.finding(Kind.DELETED, f"{gone} was deleted, and is shown")
        elif is_late and any(gone in paths for paths, _ in seen.things):
            yield seen.finding(Kind.DELETED, f"{gone} was deleted, and is listed")


def is_absent(seen: Seen) -> bool:
    """Whether a rejection says that there is no such thing."""
    code = seen.shown.get("error_code") if isinstance(seen.shown, dict) else None
    return seen.exchange.status == 404 or code in ABSENT or (seen.exchange.status == 400 and code == "ModelArts.0105")


def ended_stays_ended(seen: Seen, memory: Memory) -> Iterator[Finding]:
    """A job goes through its phases in their order, and once it has ended it stays as it is."""
    for paths, shown in seen.things:
        phase = phase_of(shown)
        for path in paths:
            if phase is None or "/visualization-jobs/" in path:  # these can be restarted
                continue
            if seen.operation.name == "v1" and "/versions/" not in path:  # a job has the status of one of its versions
                continue
            before = memory.phases.get(path)
            if before not in (None, phase) and phase not in STEPS.get(str(before), ()) and phase in TRANSITIONS:
                yield seen.finding(Kind.PHASE, f"{path} went from {before} to {phase}")
            memory.phases[path] = phase


def phase_of(shown: Any) -> str | None:
    """The phase of a job, or the one that its status of version 1 stands for."""
    status = dig(shown, "status")
    if isinstance(status, int) and not isinstance(status, bool):
        phase = PHASES_OF_STATUSES.get(status)
        return None if phase is None else str(phase)
    phase = dig(status, "phase")
    return phase if isinstance(phase, str) else None


def written_is_shown(seen: Seen, memory: Memory) -> Iterator[Finding]:
    """What was written is shown: names and descriptions as they were sent; an update changes nothing else."""
    path = urlsplit(seen.exchange.url).path
    if seen.operation.method == "PUT" and seen.is_success:
        sent = written_leaves(seen.sent)
        memory.written.setdefault(path, {}).update(sent)
        for part in [each for each in memory.written if each.startswith(f"{path}/")]:
            memory.written[part] |= {name: value for name, value in sent.items() if name in memory.written[part]}
        memory.before.pop(path, None)
        if path in memory.shown:
            memory.before[path] = memory.shown[path]
        yield from differences(seen, path, seen.shown, memory) if isinstance(seen.shown, dict) else ()
        return
    if seen.operation.kind == "create" and seen.is_success:
        for paths, _ in seen.things:
            for each in paths:
                memory.written[each] = {n: value for n, value in written_leaves(seen.sent).items() if is_naming(n)}
    for paths, shown in seen.things:
        for each in sorted(paths):
            yield from differences(seen, each, shown, memory)


def differences(seen: Seen, path: str, shown: Any, memory: Memory) -> Iterator[Finding]:
    """How what is shown of a thing differs from what was written, and from what was shown before."""
    now = leaves(shown)
    for name, value in memory.written.get(path, {}).items():
        place = next((each for each in (name, f"metadata.{name}") if each in now), None)
        if place is not None and type(now[place]) is type(value) and not is_same(now[place], value):
            kind = Kind.NAME if is_naming(name) else Kind.UPDATE
            yield seen.finding(kind, f"{place} was written as {value!r}, and {now[place]!r} is shown", place)
            memory.written[path] = {key: each for key, each in memory.written[path].items() if key != name}
            return
    written = {name.rpartition(".")[2] for name in memory.written.get(path, {})}
    for name, value in memory.before.get(path, {}).items():
        if name in now and now[name] != value and value not in ("", None) and name.rpartition(".")[2] not in written:
            yield seen.finding(
                Kind.UPDATE, f"{name} was {value!r} before an update of others, and is {now[name]!r}", name
            )
            memory.before.pop(path)
            break
    identity = {name: value for name, value in now.items() if name.rpartition(".")[2] in ("create_time", "id")}
    for name, value in memory.shown.get(path, {}).items():
        if name in identity and value != identity[name] and value:
            yield seen.finding(Kind.IDENTITY, f"{name} of {path} was {value!r}, and is {identity[name]!r}", name)
    constant = {name: value for name, value in now.items() if name.count(".") < 2 and not VOLATILE.search(name)}
    memory.shown.setdefault(path, {}).update(constant | identity)


def written_leaves(sent: Any) -> dict[str, Any]:
    """What a request writes, by places in what is shown; names and descriptions may be members of the metadata."""
    return {name.removeprefix("metadata."): value for name, value in leaves(sent).items()}


def is_naming(name: str) -> bool:
    return bool(NAMING.search(name.rpartition(".")[2])) and name.count(".") < 2


def is_same(one: Any, other: Any) -> bool:
    """Whether two values are the same; slashes at the ends of paths say nothing."""
    return bool(one.strip("/") == other.strip("/") if isinstance(one, str) else one == other)


RULES: tuple[Rule, ...] = (
    success_is_success,
    content_is_typed,
    errors_tell_no_secrets,
    pages_have_their_size,
    totals_fit,
    pages_fit_together,
    order_is_as_asked,
    filters_hold,
    deleted_is_gone,
    ended_stays_ended,
    written_is_shown,
)


def list_in(seen: Seen) -> list[Any]:
    """The first list of a response that has no pages."""
    values = seen.shown.values() if isinstance(seen.shown, dict) else ()
    return next((value for value in values if isinstance(value, list)), [])


def turned_off(seen: Seen) -> bool:
    """Whether the page number is zero."""
    pagination = seen.operation.pagination
    if not pagination:
        return True
    return pagination.get("first", 0) > 0 and not seen.number("position") and seen.number("limit") is None


def known_names(operation: Operation) -> set[str]:
    """The names that a list takes, in the query or in the body."""
    return set(properties_of(operation)) | set(operation.parameters("query"))


def default_of(operation: Operation, name: str) -> Any:
    schema = properties_of(operation).get(name) or operation.parameters("query").get(name, {}).get("schema", {})
    return schema.get("default")


def properties_of(operation: Operation) -> Mapping[str, Any]:
    schema = operation.body_schema()
    return resolve(operation.document, schema).get("properties", {}) if schema else {}

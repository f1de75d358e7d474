"""Rules about the meaning of exchanges, which no schema states: for runs, checks, replays and the pytest marker alike.

Each rule is a function of what was seen in one exchange and of the memory of the session. What it needs to know are
extensions of the documents (`x-pagination`, links, `x-time-unit`) and, in the overlays, `filters` and `sorted-by`.
"""

from __future__ import annotations

import copy
import re
import traceback
from collections.abc import Callable, Container, Iterable, Iterator
from functools import lru_cache
from itertools import accumulate
from typing import Any
from urllib.parse import urlsplit

from modelarts_contract import consistency, list_rules
from modelarts_contract.documents import ABSENT, Documents, Operation, Schema
from modelarts_contract.exchange import Exchange
from modelarts_contract.facts import facts_hold
from modelarts_contract.finding import Finding, Kind
from modelarts_contract.memory import DELETION_S, LAG_S, VOLATILE, Known, Memory, Thing
from modelarts_contract.redaction import is_replaced
from modelarts_contract.seen import Seen, dig, is_same, leaves, texts, whole
from modelarts_contract.validation import findings, in_form
from modelarts_documents.keys import Pointer
from modelarts_documents.schema import Part, members, parts, walk
from modelarts_openapi.phases import PHASES_OF_STATUSES, TRANSITIONS

__all__ = ["FINAL_PHASES", "STEPS", "TEMPORARY", "Session", "is_absent", "judged", "phase_of"]

FINAL = frozenset({"start_time", "duration"})  # of a job that has ended
MOVING = re.compile(r"reference|annotations|pool|ips?$")  # what a service may add to or resolve
OF_REQUEST = re.compile(r"is_success|error_|annotations|inputs")  # what responses may say as they like
GROWING = re.compile(r"duration|metric|progress|count")  # of what runs
NAMING = re.compile(r"(^|_)(name|description|desc)$")
PATH = re.compile(r"(?<![\w.:/-])/(?:home|root|usr|opt|srv|tmp|proc|etc|app|var)/[\w.-]+(?:/[\w.-]+)*")
INTERNAL = re.compile(
    r"Traceback \(most recent|\bat [\w$.]+\([\w$]+\.(?:java|go|py):\d+\)|\bjdbc:|\bFile \"[^\"]+\", line"
)
SECRET = re.compile(
    r"(?:password|passwd|secret|token|credential)\w*[\"']?\s*[:=]\s*[\"']?[^\s\"',;}]{4,}", re.IGNORECASE
)


def steps() -> dict[str, set[str]]:
    """The phases that can be seen after each phase that is not final; phases between them may not be seen."""
    found = {str(phase): {str(each) for each in following} for phase, following in TRANSITIONS.items() if following}
    for _ in found:
        for phase, after in found.items():
            after |= set().union(*(found.get(each, set()) for each in after)) - {phase}
    return found


STEPS = steps()
INVALID = frozenset({Kind.INVALID_PARAMETER, Kind.INVALID_REQUEST, Kind.INVALID_RESPONSE})
FINAL_PHASES = frozenset(str(phase) for phase, following in TRANSITIONS.items() if not following)
TEMPORARY = frozenset({429, 502, 503, 504})  # statuses that say how the service was, and not what it was asked


Rule = Callable[[Seen, Memory], Iterator[Finding]]


class Session:
    """Judges the exchanges of one session in their order; `secrets` must not be in any error."""

    def __init__(
        self,
        documents: Documents,
        secrets: Iterable[str] = (),
        *,
        lag_s: float = LAG_S,
        deletion_s: float = DELETION_S,
    ) -> None:
        self.documents = documents
        self.rules = RULES
        self.secrets = [secret for secret in secrets if len(secret) >= 6]
        self.memory = Memory(lag_s, deletion_s)

    def see(self, exchange: Exchange, *, rejected_requests: bool = False) -> list[Finding]:
        """What is wrong with the exchange or new in it, by the documents and by the rules."""
        seen = Seen.of(exchange, self.documents)
        if seen is None:
            return list(findings(exchange, self.documents))
        exchange = seen.exchange
        if exchange.status in TEMPORARY or (exchange.status == 501 and not seen.operation.is_emulated):
            return []
        found = list(in_form(seen, rejected_requests=rejected_requests))
        if not exchange.status or not exchange.has_body:
            return found
        is_valid = not any(each.kind in INVALID for each in found)
        for rule in self.rules:
            found += applied(rule, seen, self.memory, is_valid=is_valid)
        text = exchange.response_body.decode("utf-8", "replace")
        if exchange.status >= 400 and any(secret in text for secret in self.secrets):
            found.append(Finding.of(seen, Kind.LEAK, "the error shows a secret of this session"))
        return each_time_once(found)

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


def applied(rule: Rule, seen: Seen, memory: Memory, *, is_valid: bool) -> Iterator[Finding]:
    """What the rule finds; that it raises is a finding, unless the exchange is not valid, which is one already."""
    try:
        yield from rule(seen, memory)
    except Exception as error:
        if is_valid:
            said = f"the rule {rule.__name__} fails for {seen.operation.operation_id} with {type(error).__name__}"
            lines = "".join(traceback.format_exception(error)).strip()
            yield Finding.of(seen, Kind.RULE_FAILED, f"{said}: report this defect, with the traceback\n{lines}")


def each_time_once(found: Iterable[Finding]) -> list[Finding]:
    """The findings, of those about one time the first: a wrong time does not fit to several others."""
    first: dict[object, Finding] = {}
    for each in found:
        time = each.where.rpartition(".")[2] if each.kind is Kind.TIME else ""
        first.setdefault(time or len(first), each)
    return list(first.values())


def success_is_success(seen: Seen, _: Memory) -> Iterator[Finding]:
    """A success has no error code; one of version 1 says that it is one."""
    if seen.is_success and isinstance(seen.shown, dict):
        if code := seen.shown.get("error_code"):
            yield Finding.of(seen, Kind.SUCCESS, f"a success has the error_code {code}", "error_code")
        elif seen.shown.get("is_success") is False and seen.schemas_at("is_success"):
            message = f"is_success is false with status {seen.exchange.status}"
            yield Finding.of(seen, Kind.SUCCESS, message, "is_success")
    elif seen.exchange.status >= 400 and dig(seen.shown, "is_success") is True:
        yield Finding.of(seen, Kind.SUCCESS, "a rejection says that it is a success", "is_success")


def what_is_declared_holds(seen: Seen, memory: Memory) -> Iterator[Finding]:
    """The facts that the overlay declares of objects hold; what was changed may be shown as it was for a moment."""
    now = seen.exchange.started_at.timestamp()
    if seen.operation.kind in ("create", "change") and seen.is_success:
        memory.changed_at = now
    if now - memory.changed_at < memory.lag_s:
        memory.known = Known()
    yield from facts_hold(seen, memory)


def operations_agree(seen: Seen, memory: Memory) -> Iterator[Finding]:
    """What several operations show of a thing is the same, as soon as it is not just being changed."""
    for paths, found in seen.things:
        inner = [name for name, value in found.items() if isinstance(value, dict)] if isinstance(found, dict) else []
        around = f"{inner[0]}." if len(inner) == 1 == len(found) else ""  # `{"project": {...}}`
        shown = dig(found, around.rstrip(".")) if around else found
        said, is_running = parts_of(shown), phase_of(shown) in STEPS
        for path in paths:
            lacks = [
                name
                for name in memory.known.said[path]
                if name not in said and dig(shown, name) in ("", [], {}, None)  # no object where others show a text
                if is_due(seen, [around + name]) or is_empty(shown, name)
            ]
            for place, value in {**dict.fromkeys(lacks), **said}.items():
                if not OF_REQUEST.search(place) and not (is_running and GROWING.search(place)):
                    other = memory.known.hear(path, place, value, seen, memory.lag_s)
                    if other:
                        message = f"{place} of {path} is {value!r}, and {other}"
                        yield Finding.of(seen, Kind.IDENTITY, message, place)


def is_empty(shown: Any, place: str) -> bool:
    """Whether something is shown as empty where a value would be; null may also say that a list leaves it out."""
    step, _, rest = place.partition(".")
    if not isinstance(shown, dict) or step not in shown:
        return False
    return shown[step] in ("", [], {}) or is_empty(shown[step], rest)


def parts_of(value: Any, place: str = "") -> dict[str, Any]:
    """The texts, numbers and truths by their places, and how many entries lists have."""
    if isinstance(value, list):
        is_flat = not any(isinstance(each, dict | list) for each in value)
        value = {"#": len(value) or None, **dict(enumerate(sorted(value, key=str) if is_flat else value))}
    if isinstance(value, dict):
        return {name: leaf for key, child in value.items() for name, leaf in parts_of(child, f"{place}.{key}").items()}
    return {} if value in (None, "") else {place.removeprefix("."): value}


def content_is_typed(seen: Seen, _: Memory) -> Iterator[Finding]:
    """JSON is sent as JSON."""
    if not seen.exchange.response_headers or not seen.exchange.response_body or seen.schema is None:
        return
    media = seen.exchange.response_headers.get("content-type", "").casefold()
    if "json" not in media:
        said = f"is {media!r}" if media else "is missing"
        yield Finding.of(seen, Kind.CONTENT_TYPE, f"the Content-Type {said}, the body is documented as JSON")


def errors_tell_no_secrets(seen: Seen, _: Memory) -> Iterator[Finding]:
    """An error shows neither paths nor internals of the service, unless the request itself named them."""
    if seen.exchange.status < 400:
        return
    request = seen.exchange.url + seen.exchange.request_body.decode("utf-8", "replace")
    for text in texts(seen.shown):
        for form, what in ((PATH, "a path"), (INTERNAL, "internals"), (SECRET, "a secret")):
            match = form.search(text)
            if match and match[0] not in request:
                yield Finding.of(seen, Kind.LEAK, f"the error shows {what} of the service: {text[:80]!r}")


def deleted_is_gone(seen: Seen, memory: Memory) -> Iterator[Finding]:
    """What was deleted is neither shown nor listed, as soon as the time of a deletion is over."""
    path, method = urlsplit(seen.exchange.url).path, seen.operation.method
    now = seen.exchange.started_at.timestamp()
    if method == "DELETE" and seen.is_success:
        memory.things[path] = Thing(gone_at=now + max(memory.deletion_s, memory.lag_s))
        return
    if seen.operation.kind == "create":
        for paths, _ in seen.things:
            memory.forget(paths)
            memory.created |= paths
        return
    for gone, thing in memory.things.items():
        if thing.gone_at is None:
            continue
        if path == gone and method == "GET" and is_absent(seen):
            thing.gone_at = min(thing.gone_at, now + memory.lag_s)
        elif now <= thing.gone_at:
            continue
        elif method == "GET" and seen.is_success and f"{path}/".startswith(f"{gone}/"):
            yield Finding.of(seen, Kind.DELETED, f"{gone} was deleted, and is shown")
        elif any(gone in paths for paths, _ in seen.things):
            yield Finding.of(seen, Kind.DELETED, f"{gone} was deleted, and is listed")


def is_absent(seen: Seen) -> bool:
    """Whether a rejection says that there is no such thing."""
    code = seen.shown.get("error_code") if isinstance(seen.shown, dict) else None
    return seen.exchange.status == 404 or code in ABSENT or (seen.exchange.status == 400 and code == "ModelArts.0105")


def ended_stays_ended(seen: Seen, memory: Memory) -> Iterator[Finding]:
    """A job goes through its phases in their order, and once it has ended it stays as it is, unless it is restarted."""
    is_restart = dig(seen.sent, "action_type") == "restart"
    for paths, shown in seen.things:
        phase = phase_of(shown)
        for path in paths:
            if is_restart:
                memory.things[path].phase, memory.things[path].ended = None, {}
            if phase is None or "/visualization-jobs/" in path:  # these can be restarted
                continue
            if seen.operation.name == "v1" and "/versions/" not in path:  # a job has the status of one of its versions
                continue
            now, thing = seen.exchange.started_at.timestamp(), memory.things[path]
            before = thing.phase
            if seen.operation.pagination and now - thing.phase_at < memory.lag_s and phase != before:
                continue  # the list may lag
            if phase in STEPS and path not in memory.created and is_run_again(shown, thing):
                thing.phase, thing.ended, before = None, {}, None
            is_known = before in TRANSITIONS and phase in TRANSITIONS
            if is_known and phase not in (before, *STEPS.get(str(before), ())):
                yield Finding.of(seen, Kind.PHASE, f"{path} went from {before} to {phase}")
            if before != phase and (before is not None or path in memory.created):
                thing.phase_at = now
            thing.phase = phase
            yield from end_stays(seen, path, shown, thing)


def is_run_again(shown: Any, thing: Thing) -> bool:
    """Whether a job that had ended has another start: somebody else may have started it again."""
    starts = {name: value for name, value in leaves(shown).items() if name.endswith("start_time")}
    return any(thing.ended.get(name, value) != value for name, value in starts.items())


def end_stays(seen: Seen, path: str, shown: Any, thing: Thing) -> Iterator[Finding]:
    """Once a job has ended, its start and its running time stay as they are."""
    if thing.phase not in FINAL_PHASES:
        return
    now = {name: value for name, value in leaves(shown).items() if name.rpartition(".")[2] in FINAL}
    for name, value in now.items():
        if not is_same(thing.ended.get(name, value), value):
            message = f"{name} of {path}, which has ended, was {thing.ended[name]!r}, and is {value!r}"
            yield Finding.of(seen, Kind.PHASE, message, name)
    thing.ended |= now


def phase_of(shown: Any) -> str | None:
    """The phase of a job, or the one that its status of version 1 stands for."""
    status = dig(shown, "status")
    if (number := whole(status)) is not None:
        phase = PHASES_OF_STATUSES.get(number)
        return None if phase is None else str(phase)
    phase = dig(status, "phase")
    return phase if isinstance(phase, str) else None


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


RULES: tuple[Rule, ...] = (
    success_is_success,
    content_is_typed,
    errors_tell_no_secrets,
    *consistency.RULES,
    what_is_declared_holds,
    operations_agree,
    *list_rules.RULES,
    deleted_is_gone,
    ended_stays_ended,
    written_is_shown,
)

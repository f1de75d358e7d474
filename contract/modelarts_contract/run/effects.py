"""Effects of requests, as steps that the overlay of a document lists: what a request does is seen afterwards.

A step is a call with `path`, `query` and `body`, into which `set` puts values, and what has to be seen then. What a
list shows may lag, and jobs take their time, so a request that reads is sent until all that is seen, or time is over.

    expect   values at pointers; $any stands for any but an empty one, $none for none
    has      a value that one of the entries at a pointer with * has; `lacks` one that none has
    waits    until a job has ended, or what was deleted is gone
    lasts    the end of the job is looked at a few times more, because it is final; without it, once
    absent   there is no such thing
    emulated more values to set where the run has an emulator of its own
    rejected the statuses of a rejection
    too-late the statuses of a rejection after which nothing is known: a job had ended before it was stopped
    keep     parts of request and response under names of $known, with dots for names in names
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from modelarts_contract.documents import Operation, operations, overlay
from modelarts_contract.exchange import Exchange, within
from modelarts_contract.expressions import Scope, at, changed, evaluate, follow, keep
from modelarts_contract.rules.facts import phases
from modelarts_contract.rules.kinds import FINAL_PHASES, STEPS
from modelarts_contract.rules.session import TEMPORARY, is_unavailable
from modelarts_contract.rules.stored import is_late
from modelarts_contract.run.judging import Judge
from modelarts_contract.seen import Seen, is_same, parsed, values, whole
from modelarts_documents.schema import walk

__all__ = ["EffectError", "Progress", "UnavailableError", "UncheckedError", "effects_of", "failure", "show_effects"]

MORE = 3  # requests about a job that has ended
REPORT_S = 60.0  # between two lines that say that a phase lasts
ANY, NONE = "$any", "$none"
EMPTY: tuple[Any, ...] = (None, "", [], {})


class EffectError(Exception):
    """An effect is not seen in the last response."""

    def __init__(self, message: str, exchange: Exchange | None = None) -> None:
        super().__init__(message)
        self.exchange = exchange


class UnavailableError(EffectError):
    """The account may not do a step, or has no room for what it creates."""


class UncheckedError(EffectError):
    """A step says nothing about the service: it got no lasting response, or an earlier one has not worked."""


class Progress:
    """Says once a minute which phase lasts, and until when it is waited for."""

    def __init__(self, say: Callable[[str], None], what: str, limit_s: float, now: float) -> None:
        self.say, self.what, self.give_up = say, what, now + limit_s
        self.since = self.said_at = now
        self.phase: str | None = None

    def see(self, phase: str | None, now: float) -> None:
        """Take note of the phase that is shown now, a time of `time.monotonic`."""
        if phase != self.phase:
            self.phase, self.since = phase, now
        if now - self.said_at >= REPORT_S:
            left_s = max(0.0, self.give_up - now)
            self.say(f"waiting for {self.what}: {phase} for {now - self.since:.0f} s, {left_s:.0f} s more at most")
            self.said_at = now


def effects_of(document: str, *, is_real: bool) -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
    """The effects of a document's requests by their titles; some are tried on emulators only."""
    for title, entry in overlay(document).get("effects", {}).items():
        if not (is_real and entry.get("emulator-only")):
            yield title, entry["steps"]


def show_effects(
    judge: Judge,
    document: str,
    steps: list[Mapping[str, Any]],
    scope: Scope,
    say: Callable[[str], None] = lambda _: None,
) -> None:
    """Make the calls of the steps; raises EffectError for the first effect that is not seen.

    Raises UnavailableError or UncheckedError for a step that says nothing about the service, and UncheckedError for an
    effect that is not seen after a creation that was sent several times: it may have been served as often.
    """
    is_doubtful = False
    for step in steps:
        operation = operations(document)[step["call"]]
        path, query, body = (evaluate(step.get(name), scope) for name in ("path", "query", "body"))
        if body is not None:
            emulated = {} if judge.service.is_real else step.get("emulated", {})
            body = changed(body, {"set": {**emulated, **step.get("set", {})}}, scope)
            body = typed(operation, body)
        given = [part for part in (path, query, body) if part is not None]
        if any(value is None for part in given for _, value in within(part)):  # an earlier response has to give it
            raise UncheckedError("an earlier step has not worked")
        exchange, missing = repeated(judge, operation, step, (path or {}, query, body), scope, say)
        is_doubtful |= operation.kind == "create" and exchange.attempts > 1
        if missing:
            raise UncheckedError(missing) if is_doubtful else EffectError(f"{step['call']}: {missing}", exchange)
        found = {"request.body": body, "request.path": path or {}, "response.body": parsed(exchange.response_body)}
        for name, value in step.get("keep", {}).items():
            keep(scope["known"], name, evaluate(value, {**scope, **found}))


def repeated(
    judge: Judge,
    operation: Operation,
    step: Mapping[str, Any],
    request: tuple[Any, Any, Any],
    scope: Scope,
    say: Callable[[str], None],
) -> tuple[Exchange, str]:
    """Make a call until its effect is seen, or the time for that is over; the exchange, and what is missing then."""
    began, ended = time.monotonic(), 0.0
    progress = Progress(say, step["call"], judge.service.patience_s, began)
    scope = {**scope, "request.path": request[0], "request.body": request[2]}
    while True:
        sent = time.monotonic()
        exchange = judge.call(operation, *request)
        phase = phase_shown(judge, exchange)
        ended = ended or sent * (phase in FINAL_PHASES)
        missing = problem(judge, step, exchange, scope) or late_update(judge, exchange)
        is_over = sent > patience(judge, step, began, ended, phase)
        if missing and operation.kind == "read" and not is_over and judge.service.trouble is None:
            progress.see(phase, sent)
            time.sleep(judge.service.poll_s)
            continue
        if missing and is_over and not ended:
            judge.deletion_s -= sent - began  # what is left to wait for other deletions that have no effect
            if step.get("waits") and phase is not None and phase not in STEPS:
                raise UncheckedError(f"no document has the phase {phase}, which lasts")
        if ended and step.get("waits") and not missing:
            pause_s = max(judge.service.poll_s, judge.service.lag_s / 2 if operation.pagination else 0)
            for wait_s in [pause_s] * MORE if step.get("lasts") else [0]:
                time.sleep(wait_s)
                judge.call(operation, *request)
        return exchange, missing


def late_update(judge: Judge, exchange: Exchange) -> str:
    """What says that an object is not yet shown as it was updated; once it has to be, the rules see to it."""
    seen, memory = Seen.of(exchange, judge.documents), judge.session.memory
    stored = [(each, memory.stored[path]) for each in (seen.stored if seen else ()) for path in each.paths]
    is_waiting = seen and any(is_late(seen, each, its, memory.lag_s) for each, its in stored)
    return "an update is not shown yet" if is_waiting else ""


def phase_shown(judge: Judge, exchange: Exchange) -> str | None:
    """The phase of a job that is shown, or of the first of its versions."""
    seen = Seen.of(exchange, judge.documents)
    return next(iter(phases(seen)), None) if seen else None


def patience(judge: Judge, step: Mapping[str, Any], began: float, ended: float, phase: str | None) -> float:
    """Until when an effect may be missing: once a job has ended, all that it shows comes a moment later."""
    service = judge.service
    if step.get("waits") and phase is not None and not ended:
        return began + service.patience_s
    is_deletion = "absent" in step or step.get("waits")
    return (ended or began) + max(service.effect_s, judge.deletion_s if is_deletion and not ended else 0)


def typed(operation: Operation, body: Any) -> Any:
    """The body of a request, with numbers where a response has written them as texts."""
    found = {"": copy.deepcopy(body)}
    for place in walk(operation.document, operation.body_schema() or {}, found[""]):
        number = whole(place.value)
        if number is not None and any(part.schema.get("type") == "integer" for part in place.parts):
            *around, last = ("", *place.where)
            follow(found, map(str, around))[last] = number
    return found[""]


def failure(exchange: Exchange) -> str:
    """What a response says that is no success, empty for one. Raises UnavailableError or UncheckedError."""
    if 200 <= exchange.status < 300:
        return ""
    said = f"status {exchange.status}: {exchange.response_body[:200].decode('utf-8', 'replace')}"
    if is_unavailable(exchange):
        raise UnavailableError(said)
    if exchange.status == 0 or exchange.status in TEMPORARY or exchange.attempts > 1:
        raise UncheckedError(said)
    return said


def problem(judge: Judge, step: Mapping[str, Any], exchange: Exchange, scope: Scope) -> str:
    """What of the step is not seen; empty if all is. Raises UnavailableError or UncheckedError."""
    shown = parsed(exchange.response_body)
    if step.get("absent"):
        return "" if judge.is_absent(exchange) else "it is still there"
    if "rejected" in step:
        is_rejected = exchange.status in step["rejected"]
        return "" if is_rejected else f"status {exchange.status}, and a rejection was to be expected"
    if exchange.status in step.get("too-late", ()):
        raise UncheckedError("it had ended before")
    if said := failure(exchange):
        return said
    for pointer, value in step.get("expect", {}).items():
        seen, wanted = at(shown, pointer), value if value in (ANY, NONE) else evaluate(value, scope)
        is_seen = (seen in EMPTY) is (wanted == NONE) if wanted in (ANY, NONE) else is_same(seen, wanted)
        if not is_seen:
            return f"{pointer} is {seen!r}, and {wanted!r} was to be expected"
    for role, is_wanted in (("has", True), ("lacks", False)):
        for pointer, value in step.get(role, {}).items():
            for expression in value if isinstance(value, list) else [value]:
                wanted = evaluate(expression, scope)
                if any(is_same(each, wanted) for each in entries(shown, pointer)) is not is_wanted:
                    return f"{pointer} {'lacks' if is_wanted else 'still has'} {wanted!r}"
    return ""


def entries(shown: Any, pointer: str) -> list[Any]:
    """The values at a pointer in which `*` stands for every entry of a list; a text has lines."""
    found = values(shown, pointer.removeprefix("/").replace("/", "."))
    is_text = "*" not in pointer and isinstance(found[0] if found else None, str)
    return found[0].splitlines() if is_text else found

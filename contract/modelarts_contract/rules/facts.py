"""Facts: what overlays declare of every object of a schema, wherever a response shows one.

`facts` of an overlay has, by the name of a schema, a list of facts. A fact has one or more kinds of `rules/kinds.py`
and may have the words here. Places are those of `dig`, and `*` stands for every entry of a list, or member. Values that
are not there say nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Any

from modelarts_contract.documents import Operation, load, overlay
from modelarts_contract.finding import Finding, Kind
from modelarts_contract.rules.kinds import KINDS, phase_of, time_ms
from modelarts_contract.rules.memory import Memory, Statements
from modelarts_contract.seen import Seen, dig
from modelarts_contract.validation import ASSUMED, path_of
from modelarts_documents.schema import at

__all__ = ["RULES", "WORDS", "may_lack", "phases", "varies"]

WORDS = {
    "when": ("condition: the value is one of these; null is none, `A.*` a text that begins so", "{status: [8]}"),
    "recent": ("condition: the time is in the last hour before the Date of the response", "metadata.create_time"),
    "assumed": ("no page says it, so what it finds is a note", "No page has the unit."),
    "varies": ("the service may change these values, so they are compared with nothing", "[metadata.annotations]"),
    "may-lack": ("members that the document requires and no page does: without them, it is a note", "[start_time]"),
    "phase": ("where the phase, or the status of version 1, is shown that runs wait for", "status.phase"),
}
"""The words of a fact that are no kinds, each with its meaning and an example."""
HOUR_MS = 3_600_000
SCHEMAS = ("components", "schemas")


def what_is_declared_holds(seen: Seen, memory: Memory) -> Iterator[Finding]:
    """The facts of the objects of a response hold; what was changed may be shown as it was for a moment."""
    now = seen.exchange.started_at.timestamp()
    if seen.operation.kind in ("create", "change") and seen.is_success:
        memory.changed_at, memory.statements = seen.exchange.ended_at.timestamp(), Statements()
    elif now - memory.changed_at < memory.lag_s:
        memory.statements = Statements()
    for shown, fact in declared(seen):
        for name in (each for each in fact if each in KINDS):
            kind = Kind.UNUSUAL if "assumed" in fact else KINDS[name].finding
            for where, text in KINDS[name].check(seen, shown, fact[name], memory):
                yield Finding.of(seen, kind, text, where)


def declared(seen: Seen) -> Iterator[tuple[Any, Mapping[str, Any]]]:
    """The objects of a response, each with every fact whose conditions it meets."""
    facts = facts_of(seen.operation.name)
    objects = [place for place in seen.places if isinstance(place.value, dict)]
    for shown, pointer in ((place.value, part.pointer) for place in objects for part in place.parts):
        for fact in facts.get(pointer[-1], ()) if pointer[:-1] == SCHEMAS else ():
            conditions = fact.get("when", {}).items()
            if is_recent(seen, shown, fact.get("recent")) and all(
                meets(dig(shown, place), values) for place, values in conditions
            ):
                yield shown, fact


def meets(value: Any, wanted: Iterable[Any]) -> bool:
    """Whether a value is one of these, of which some may be beginnings."""
    beginnings = tuple(each.removesuffix("*") for each in wanted if isinstance(each, str) and each.endswith("*"))
    return value in wanted or (isinstance(value, str) and value.startswith(beginnings))


def is_recent(seen: Seen, shown: Any, place: str | None) -> bool:
    """Whether a time is in the last hour before the Date of the response, or none is asked for."""
    created, now = time_ms(dig(shown, place)) if place else None, seen.date_ms
    return place is None or bool(created and now and 0 <= now - created < HOUR_MS)


@cache
def facts_of(document: str) -> Mapping[str, list[Mapping[str, Any]]]:
    """The facts of each schema of a document: which numbers count a list (`x-counts`), and those of the overlay."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for name, schema in load(document).get("components", {}).get("schemas", {}).items():
        numbers = [
            {"counts": {place: inner["x-counts"]}, **({"assumed": inner[ASSUMED]} if ASSUMED in inner else {})}
            for place, inner in schema.get("properties", {}).items()
            if "x-counts" in inner
        ]
        found[name] = [*numbers, *overlay(document).get("facts", {}).get(name, ())]
    return found


def phases(seen: Seen) -> list[str]:
    """The phases of what a response shows, in their order."""
    found = [phase_of(dig(shown, fact["phase"])) for shown, fact in declared(seen) if "phase" in fact]
    return [phase for phase in found if phase is not None]


def may_lack(seen: Seen) -> set[str]:
    """The places of members that objects of the response may lack, as findings name them."""
    where = {id(place.value): place.where for place in seen.places}
    return {path_of([*where[id(shown)], name]) for shown, fact in declared(seen) for name in fact.get("may-lack", ())}


@lru_cache(10_000)
def varies(operation: Operation, status: int, place: str) -> bool:
    """Whether the overlay says that the service may change what a response shows at a place, or around it."""
    steps, facts = place.split("."), facts_of(operation.name)
    for number in range(len(steps) + 1):
        found = at(operation.document, operation.response_schema(status) or {}, steps[:number])
        names = {part.pointer[-1] for part in found if part.pointer[:-1] == SCHEMAS}
        declared = [each for name in names for fact in facts.get(name, ()) for each in fact.get("varies", ())]
        for wanted in (each.split(".") for each in declared):
            if len(steps) - number >= len(wanted) and all(
                want in ("*", step) for want, step in zip(wanted, steps[number:], strict=False)
            ):
                return True
    return False


RULES = (what_is_declared_holds,)

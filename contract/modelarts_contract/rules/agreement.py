"""Rules about what several responses show of a thing: what the overlays declare, and that operations agree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from modelarts_contract.finding import Finding, Kind
from modelarts_contract.rules.kinds import facts_hold
from modelarts_contract.rules.lifecycle import STEPS, phase_of
from modelarts_contract.rules.memory import Known, Memory
from modelarts_contract.rules.written import is_due
from modelarts_contract.seen import Seen, dig

__all__ = ["RULES"]

OF_REQUEST = re.compile(r"is_success|error_|annotations|inputs")  # what responses may say as they like
GROWING = re.compile(r"duration|metric|progress|count")  # of what runs


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


RULES = (what_is_declared_holds, operations_agree)

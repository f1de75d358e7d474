"""What a session of exchanges remembers: the things of a service, what responses say of them, and pages of lists."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from modelarts_contract.seen import Seen, is_same

LAG_S = 10.0  # how long what is shown or listed may be as it was before a change
DELETION_S = 60.0  # how long a thing may be shown after its deletion was accepted
# Names of what may change by itself.
VOLATILE = re.compile(r"status|phase|duration|time|count|record|progress|task|event|version|update", re.IGNORECASE)


@dataclass
class Thing:
    """What a session knows of a thing: its values as written, before an update and as shown, its phase, its end.

    `defaults` names the written values that its creation left out.
    """

    written: dict[str, Any] = field(default_factory=dict)
    defaults: frozenset[str] = frozenset()
    before: dict[str, Any] = field(default_factory=dict)
    shown: dict[str, Any] = field(default_factory=dict)
    phase: str | None = None
    phase_at: float = 0.0
    ended: dict[str, Any] = field(default_factory=dict)
    gone_at: float | None = None
    changed: dict[str, Any] = field(default_factory=dict)
    written_at: float = 0.0


@dataclass
class Contradiction:
    """Two operations say different values of the same; `repeated` has those that said it again later."""

    said: dict[str, Any]
    since: float
    repeated: set[str] = field(default_factory=set)
    requests: tuple[Seen, ...] = ()


@dataclass
class Known:
    """What responses have said since the last change.

    `fixed` has values that never change, by place and key, `offered` the values that a list has, and `used` those that
    such a list must have, with where they were shown. `said` has values that may change, by what they are about and by
    operation, `contradictions` which of them differ.
    """

    fixed: dict[tuple[str, str], Any] = field(default_factory=dict)
    offered: dict[str, set[str]] = field(default_factory=dict)
    used: defaultdict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    said: defaultdict[str, defaultdict[str, dict[str, tuple[Any, Seen]]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(dict))
    )
    contradictions: dict[tuple[str, ...], Contradiction] = field(default_factory=dict)

    def hear(self, thing: str, place: str, value: Any, seen: Seen, lag_s: float) -> str:
        """Remember a value; say which operation shows another one, if both showed theirs again after the lag.

        What somebody changes between two responses is shown by both as soon as the lag is over.
        """
        name, now = seen.operation.operation_id, seen.exchange.started_at.timestamp()
        for other, (theirs, their_request) in self.said[thing][place].items():
            key = (thing, place, *sorted((name, other)))
            if other == name or is_same(theirs, value):
                self.contradictions.pop(key, None)
                continue
            said, found = {name: value, other: theirs}, self.contradictions.get(key)
            if found is None or found.said != said:
                self.contradictions[key] = Contradiction(said, now, requests=(their_request, seen))
            elif now - found.since >= lag_s:
                found.repeated.add(name)
                if len(found.repeated) == len(said):
                    return f"{theirs!r} in {other}"
        self.said[thing][place][name] = value, seen
        return ""


@dataclass
class Memory:
    """What a session knows: things by their paths, and pages of lists; and how late a service may be."""

    lag_s: float = LAG_S
    deletion_s: float = DELETION_S
    things: defaultdict[str, Thing] = field(default_factory=lambda: defaultdict(Thing))
    pages: dict[str, list[Seen]] = field(default_factory=dict)
    known: Known = field(default_factory=Known)
    created: set[str] = field(default_factory=set)
    changed_at: float = 0.0

    def forget(self, paths: Iterable[str]) -> None:
        """Forget what was known at these paths and below: a thing that is created there now is a new one."""
        for path in [each for each in self.things if any(f"{each}/".startswith(f"{gone}/") for gone in paths)]:
            del self.things[path]

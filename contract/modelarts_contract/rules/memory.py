"""What a session of exchanges remembers: what a service stores, what its responses state, and pages of lists."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from modelarts_contract.seen import Seen, is_same

LAG_S = 10.0  # how long what is shown or listed may be as it was before a change
CLOCK_MS = 60_000  # how far the clocks of a service may be apart
DELETION_S = 60.0  # how long something may be shown after its deletion was accepted


@dataclass
class Stored:
    """What is known of a stored object: its values as written, before an update, and as shown last.

    `defaults` names the written values that its creation left out; `updated` are those of the last update.
    """

    written: dict[str, Any] = field(default_factory=dict)
    defaults: frozenset[str] = frozenset()
    before: dict[str, Any] = field(default_factory=dict)
    shown: dict[str, Any] = field(default_factory=dict)
    gone_at: float | None = None
    updated: dict[str, Any] = field(default_factory=dict)
    updated_at: float = 0.0


@dataclass
class Life:
    """The phase of something that runs, since when it was seen, and the values that have settled."""

    phase: str | None = None
    since: float = 0.0
    settled: dict[str, Any] = field(default_factory=dict)


@dataclass
class Contradiction:
    """Two operations state different values of the same; `repeated` has those that stated it again later."""

    values: dict[str, Any]
    since: float
    repeated: set[str] = field(default_factory=set)
    requests: tuple[Seen, ...] = ()


@dataclass
class Statements:
    """What responses have stated since the last change.

    `constants` never change, by subject and place; `offered` are the values that a list has, by document and name,
    and `used` those that it must have, with where they were shown. `current` has values that may change, by subject,
    place and operation.
    """

    constants: dict[tuple[str, str], Any] = field(default_factory=dict)
    offered: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    used: defaultdict[tuple[str, str], dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    current: defaultdict[str, defaultdict[str, dict[str, tuple[Any, Seen]]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(dict))
    )
    contradictions: dict[tuple[str, ...], Contradiction] = field(default_factory=dict)

    def contradicting(self, subject: str, place: str, value: Any, seen: Seen, lag_s: float) -> tuple[str, Any] | None:
        """Store a value; the operation that shows another one, with it, if both showed theirs again after the lag.

        What somebody changes between two responses is shown by both as soon as the lag is over.
        """
        name, now = seen.operation.operation_id, seen.exchange.started_at.timestamp()
        found: tuple[str, Any] | None = None
        for other, (theirs, their_request) in self.current[subject][place].items():
            key = (subject, place, *sorted((name, other)))
            if other == name or is_same(theirs, value):
                self.contradictions.pop(key, None)
                continue
            values, known = {name: value, other: theirs}, self.contradictions.get(key)
            if known is None or known.values != values:
                self.contradictions[key] = Contradiction(values, now, requests=(their_request, seen))
            elif now - known.since >= lag_s:
                known.repeated.add(name)
                found = (other, theirs) if len(known.repeated) == len(values) else found
        self.current[subject][place][name] = value, seen
        return found


@dataclass
class Memory:
    """What a session knows: stored objects by their paths, pages of lists, and how late a service may be."""

    lag_s: float = LAG_S
    deletion_s: float = DELETION_S
    stored: defaultdict[str, Stored] = field(default_factory=lambda: defaultdict(Stored))
    lives: defaultdict[str, Life] = field(default_factory=lambda: defaultdict(Life))
    pages: dict[str, list[Seen]] = field(default_factory=dict)
    statements: Statements = field(default_factory=Statements)
    ids: dict[str, str] = field(default_factory=dict)  # of items of lists, by their small letters
    changed_at: float = 0.0

    def forget(self, paths: Iterable[str]) -> None:
        """Forget what was known at these paths and below: what is created there now is new."""
        for path in [each for each in self.stored if any(f"{each}/".startswith(f"{gone}/") for gone in paths)]:
            del self.stored[path]

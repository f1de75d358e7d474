"""What a session of exchanges remembers: the things of a service, and pages of its lists."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

LAG_S = 10.0  # how long what is shown or listed may be as it was before a change
DELETION_S = 60.0  # how long a thing may be shown after its deletion was accepted
# Names of what may change by itself.
VOLATILE = re.compile(r"status|phase|duration|time|count|record|progress|task|event|version|update", re.IGNORECASE)


@dataclass
class Thing:
    """What a session knows of a thing: its values as written, before an update and as shown, its phase, its end."""

    written: dict[str, Any] = field(default_factory=dict)
    before: dict[str, Any] = field(default_factory=dict)
    shown: dict[str, Any] = field(default_factory=dict)
    phase: str | None = None
    phase_at: float = 0.0
    ended: dict[str, Any] = field(default_factory=dict)
    gone_at: float | None = None
    changed: dict[str, Any] = field(default_factory=dict)
    written_at: float = 0.0


@dataclass
class Memory:
    """What a session knows: things by their paths, and pages of lists; and how late a service may be."""

    lag_s: float = LAG_S
    deletion_s: float = DELETION_S
    things: defaultdict[str, Thing] = field(default_factory=lambda: defaultdict(Thing))
    pages: dict[str, dict[int, tuple[str, int, float]]] = field(default_factory=dict)
    known: dict[tuple[str, str], Any] = field(default_factory=dict)
    created: set[str] = field(default_factory=set)
    changed_at: float = 0.0

    def forget(self, paths: Iterable[str]) -> None:
        """Forget what was known at these paths and below: a thing that is created there now is a new one."""
        for path in [each for each in self.things if any(f"{each}/".startswith(f"{gone}/") for gone in paths)]:
            del self.things[path]

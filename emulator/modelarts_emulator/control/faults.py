"""Faults on demand: what goes wrong with which calls, how often; all in memory, nothing of it is imitated.

A fault strikes calls of the operations it names: each one, the first `count`, or some, drawn with `probability` from a
sequence that `seed` determines; `after` calls are left in peace first.
`strikes` says what a call that is struck looks like to its client.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

from modelarts_emulator.control.fault_responses import Strike, Trouble

__all__ = ["STORE", "Fault", "Faults", "FaultyStore"]

STORE = "obs"  # the object store, beside the documents: its operations are the methods of HTTP
MOST = 1000  # faults at a time


@dataclass(slots=True)
class Fault:
    """What goes wrong, where, and how often; `document` None is every document, but never the object store."""

    trouble: Trouble
    operations: tuple[str, ...] = ("*",)
    document: str | None = None
    count: int | None = None
    probability: float = 1
    seed: int = 0
    after: int = 0
    id: int = 0
    calls: int = 0
    struck: int = 0
    _random: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)  # noqa: S311 - it is to be repeatable, not secret

    def concerns(self, document: str, operation: str, public: bool) -> bool:
        """Whether calls of this operation may be struck; one without a token cannot have an expired one."""
        chosen = document != STORE if self.document is None else document == self.document
        named = "*" in self.operations or operation in self.operations
        return chosen and named and not (public and self.trouble.kind == "expired_token")

    def strikes(self) -> bool:
        """Count a call that the fault concerns; whether it is struck."""
        self.calls += 1
        if self.calls <= self.after or (self.count is not None and self.struck >= self.count):
            return False
        if self.probability < 1 and self._random.random() >= self.probability:
            return False
        self.struck += 1
        return True

    def view(self) -> dict[str, Any]:
        """The fault as the control API shows it."""
        trouble = {name: value for name, value in asdict(self.trouble).items() if value is not None}
        names = ("document", "count", "probability", "seed", "after", "calls", "struck")
        rest = {name: value for name in names if (value := getattr(self, name)) is not None}
        return {"id": self.id, **trouble, "operations": list(self.operations), **rest}


class Faults:
    """The faults in place, in the order in which they were added; false while there are none.

    `operations` says of every operation that can be named, by document, whether it does without a token.
    """

    def __init__(self) -> None:
        self.operations: dict[str, Mapping[str, bool]] = {
            STORE: dict.fromkeys(("GET", "HEAD", "PUT", "POST", "DELETE"), True)
        }
        self.connections: list[Iterable[Any]] = []
        self._faults: list[Fault] = []
        self._ids = itertools.count(1)

    def __bool__(self) -> bool:
        return bool(self._faults)

    def __iter__(self) -> Iterator[Fault]:
        return iter(self._faults)

    def add(self, fault: Fault) -> Fault:
        """Put the fault in place; raises ValueError if it names an operation that there is not, or is one too many."""
        known = {
            name: public
            for document, names in self.operations.items()
            if (document != STORE if fault.document is None else document == fault.document)
            for name, public in names.items()
        }
        for name in fault.operations:
            if name != "*" and name not in known:
                raise ValueError(f"operations: there is no {name}: use * or some of {', '.join(sorted(known))}")
            if name != "*" and known[name] and fault.trouble.kind == "expired_token":
                raise ValueError(f"operations: {name} needs no token: name operations that do")
        if len(self._faults) >= MOST:
            raise ValueError(f"there are {MOST} faults already: clear them first")
        fault.id = next(self._ids)
        self._faults.append(fault)
        return fault

    def clear(self) -> None:
        """Let everything go right again."""
        self._faults.clear()

    def strike(self, document: str, operation: str, public: bool) -> Strike | None:
        """What befalls this call; None if nothing does.

        Every fault that delays adds its seconds; of the others only the first strikes.
        """
        delay, trouble = 0.0, None
        for fault in self._faults:
            delays = fault.trouble.kind == "latency"
            if (trouble is not None and not delays) or not fault.concerns(document, operation, public):
                continue
            if not fault.strikes():
                continue
            if delays:
                delay += fault.trouble.seconds or 0
            else:
                trouble = fault.trouble
        if not delay and trouble is None:
            return None
        return Strike(document, delay, trouble, self.connections)


class FaultyStore:
    """The object store as an ASGI application that faults may strike."""

    def __init__(self, app: ASGIApp, faults: Faults) -> None:
        self._app = app
        self._faults = faults

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._faults and (strike := self._faults.strike(STORE, scope["method"], True)) is not None:
            await strike(self._app, scope, receive, send)
        else:
            await self._app(scope, receive, send)

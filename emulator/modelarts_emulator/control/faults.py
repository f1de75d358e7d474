"""Faults on demand: what goes wrong with which calls, how often; all in memory, nothing of it is imitated.

A fault is injected into calls of the operations it names: each one, the first `count`, or some, drawn with
`probability` from a sequence that `seed` determines; the first `after` calls are spared.
`fault_responses` says what such a call looks like to its client.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

from modelarts_emulator.control.fault_responses import FaultSpec, InjectedFault
from modelarts_emulator.control.fault_targets import STORE, FaultTarget
from modelarts_emulator.http.contract import Operation

__all__ = ["Fault", "Faults", "FaultyStore"]

MAX_FAULTS = 1000


@dataclass(slots=True)
class Fault:
    """What goes wrong, where, and how often; `document` names a target, None stands for all that are `by_default`."""

    spec: FaultSpec
    operations: tuple[str, ...] = ("*",)
    document: str | None = None
    count: int | None = None
    probability: float = 1
    seed: int = 0
    after: int = 0
    id: int = 0
    calls: int = 0
    applied: int = 0
    _random: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)  # noqa: S311 - it is to be repeatable, not secret

    def concerns(self, target: FaultTarget, operation: str) -> bool:
        """Whether the fault may be injected into calls of this operation; one without a token has no expired one."""
        named = "*" in self.operations or operation in self.operations
        is_public = target.operations[operation]
        return self.selects(target) and named and not (is_public and self.spec.kind == "expired_token")

    def selects(self, target: FaultTarget) -> bool:
        """Whether the fault names the target."""
        return target.by_default if self.document is None else target.name == self.document

    def take(self) -> bool:
        """Count a call that the fault concerns; whether the fault is injected into it."""
        self.calls += 1
        if self.calls <= self.after or (self.count is not None and self.applied >= self.count):
            return False
        if self.probability < 1 and self._random.random() >= self.probability:
            return False
        self.applied += 1
        return True

    def view(self) -> dict[str, Any]:
        """The fault as the control API shows it."""
        spec = {name: value for name, value in asdict(self.spec).items() if value is not None}
        names = ("document", "count", "probability", "seed", "after", "calls", "applied")
        rest = {name: value for name in names if (value := getattr(self, name)) is not None}
        return {"id": self.id, **spec, "operations": list(self.operations), **rest}


class Faults:
    """The faults in place, in the order in which they were added; false while there are none.

    `connections` are those of the servers, as uvicorn keeps them; `check` raises what forbids faults now.
    """

    def __init__(self, targets: Iterable[FaultTarget], check: Callable[[], None] = lambda: None) -> None:
        self._check = check
        self.targets = {target.name: target for target in targets}
        self.connections: list[Iterable[Any]] = []
        self._faults: list[Fault] = []
        self._ids = itertools.count(1)

    def __bool__(self) -> bool:
        return bool(self._faults)

    def __iter__(self) -> Iterator[Fault]:
        return iter(self._faults)

    def add(self, fault: Fault) -> Fault:
        """Put the fault in place; raises ValueError if it names an operation that there is not, or is one too many."""
        self._check()
        known = {
            name: public
            for target in self.targets.values()
            if fault.selects(target)
            for name, public in target.operations.items()
        }
        for name in fault.operations:
            if name != "*" and name not in known:
                raise ValueError(f"operations: there is no {name}: use * or some of {', '.join(sorted(known))}")
            if name != "*" and known[name] and fault.spec.kind == "expired_token":
                raise ValueError(f"operations: {name} needs no token: name operations that do")
        if len(self._faults) >= MAX_FAULTS:
            raise ValueError(f"there are {MAX_FAULTS} faults already: clear them first")
        fault.id = next(self._ids)
        self._faults.append(fault)
        return fault

    def clear(self) -> None:
        """Remove all faults."""
        self._faults.clear()

    async def __call__(self, operation: Operation, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the call of a family's operation, with the faults that there are for it."""
        await self.serve(operation.document, operation.operation_id, app, scope, receive, send)

    async def serve(
        self, target: str, operation: str, app: ASGIApp, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Serve a call with `app`, and with the faults that there are for it."""
        injected = self.inject(target, operation) if self._faults else None
        if injected is None:
            await app(scope, receive, send)
        else:
            await injected(app, scope, receive, send)

    def inject(self, target_name: str, operation: str) -> InjectedFault | None:
        """The fault of this call, None without one.

        Every fault that delays adds its seconds; of the others only the first is injected.
        """
        target = self.targets[target_name]
        if operation not in target.operations:
            return None
        delay, spec = 0.0, None
        for fault in self._faults:
            delays = fault.spec.kind == "latency"
            if (spec is not None and not delays) or not fault.concerns(target, operation):
                continue
            if not fault.take():
                continue
            if delays:
                delay += fault.spec.seconds or 0
            else:
                spec = fault.spec
        if not delay and spec is None:
            return None
        return InjectedFault(target, delay, spec, self.connections)


class FaultyStore:
    """The object store as an ASGI application that faults may be injected into."""

    def __init__(self, app: ASGIApp, faults: Faults) -> None:
        self._app = app
        self._faults = faults

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._faults.serve(STORE, scope["method"], self._app, scope, receive, send)

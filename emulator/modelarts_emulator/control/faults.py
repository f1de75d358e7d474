"""Rules for injected faults, which the service does not have; they are kept in memory.

A fault is injected into calls of the operations it names: each one, the first `count`, or some, drawn with
`probability` from a sequence that `seed` determines; the first `after` calls are spared.
`TaskFaults` injects faults into tasks of jobs instead.
"""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from http import HTTPStatus
from typing import Any, get_args

import jsonschema_rs
from starlette.types import ASGIApp, Receive, Scope, Send

from modelarts_emulator.control.fault_responses import STORE, FaultSpec, FaultTarget, InjectedFault
from modelarts_emulator.engine import runs
from modelarts_emulator.engine.database import Database
from modelarts_emulator.engine.runs import Run
from modelarts_emulator.engine.supervisor import Supervisor
from modelarts_emulator.execution.protocol import Executor, FailureKind, inject_fault, task_names
from modelarts_emulator.http.contract import Operation
from modelarts_emulator.http.errors import EmulatorError

__all__ = ["Fault", "Faults", "FaultyStore", "TaskFaults", "read_fault"]

MAX_FAULTS = 1000
TASK_KINDS: tuple[str, ...] = get_args(FailureKind)
TASK_MEMBERS = ("job", "task", "kind")
STATUSES = [status.value for status in HTTPStatus if status >= HTTPStatus.BAD_REQUEST]
RETRY_AFTER_S = 1  # what a 429 asks for by default

_WHERE = {
    "kind": {"type": "string"},
    "document": {"type": "string"},
    "operations": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 100},
    "count": {"type": "integer", "minimum": 1},
    "probability": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
    "seed": {"type": "integer", "minimum": 0, "maximum": 2**63},
    "after": {"type": "integer", "minimum": 0},
}
_STATUS = {"enum": STATUSES}
_KINDS: dict[str, dict[str, Any]] = {
    "status": {
        "status": _STATUS,
        "code": {"type": "string", "pattern": r"^[A-Za-z0-9.]{1,40}$"},
        "message": {"type": "string", "maxLength": 1000},
        "retry_after": {"type": "integer", "minimum": 0, "maximum": 86400},
    },
    "latency": {"seconds": {"type": "number", "exclusiveMinimum": 0, "maximum": 600}},
    "drop": {"moment": {"enum": ["before", "after", "body"]}},
    "expired_token": {},
    "html": {"status": _STATUS},
}
_VALIDATORS = {
    kind: jsonschema_rs.Draft202012Validator(
        {
            "type": "object",
            "properties": _WHERE | members,
            "required": ["seconds"] if kind == "latency" else [],
            "additionalProperties": False,
        }
    )
    for kind, members in _KINDS.items()
}


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


class TaskFaults:
    """Injects faults into tasks, through the executor."""

    def __init__(self, database: Database, executor: Executor, supervisor: Supervisor) -> None:
        self._database = database
        self._executor = executor
        self._supervisor = supervisor

    async def inject(self, body: dict[str, Any]) -> dict[str, Any]:
        """Inject the fault `kind` into the `task` (`worker-0` unless said) of the `job`.

        Raises ValueError if it cannot, EmulatorError if another process supervises the jobs.
        """
        if not self._database.leadership.is_leader:
            raise EmulatorError("this front end does not supervise the jobs: cause faults of jobs at the one that does")
        job_id, task, kind = body.get("job"), body.get("task", "worker-0"), body.get("kind")
        if unknown := sorted(set(body) - set(TASK_MEMBERS)):
            raise ValueError(f"{unknown[0]}: a fault of a job has the members {', '.join(TASK_MEMBERS)}")
        if kind not in TASK_KINDS:
            raise ValueError(f"kind: a job can be {', '.join(TASK_KINDS)}")
        job = await asyncio.to_thread(self._find, job_id) if isinstance(job_id, str) else None
        if job is None:
            raise ValueError("job: no job has this id")
        if task not in task_names(job.node_count):
            raise ValueError(f"task: the job has {', '.join(task_names(job.node_count))}")
        try:
            is_running = await asyncio.to_thread(inject_fault, self._executor, job.id, task, kind)
        except KeyError:  # the job has not been started, or was removed meanwhile
            is_running = False
        if not is_running:
            raise ValueError(
                f"task: {task} does not run, so that it cannot have a fault: the job's phase is {job.phase}"
            )
        self._supervisor.wake()
        return {"job": job.id, "task": task, "kind": kind}

    def _find(self, run_id: str) -> Run | None:
        with self._database.reading() as connection:
            return runs.get(connection, run_id)


def read_fault(faults: Faults, body: dict[str, Any]) -> Fault:
    """The fault that the body of a request describes; raises ValueError, which names the member that is wrong."""
    kind = body.get("kind")
    validator = _VALIDATORS.get(kind) if isinstance(kind, str) else None
    if kind in TASK_KINDS:
        raise ValueError(f"job: {kind} is a fault of a job: name the job by its id")
    if validator is None:
        raise ValueError(f"kind: use one of {', '.join(_KINDS)}, or with a job one of {', '.join(TASK_KINDS)}")
    for error in validator.iter_errors(body):
        raise ValueError(f"{'.'.join(map(str, error.instance_path)) or kind}: {error.message}")
    document = body.get("document")
    if document is not None and document not in faults.targets:
        raise ValueError(f"document: {document!r} is not one of {', '.join(faults.targets)}")
    if document == STORE and kind == "expired_token":
        raise ValueError("document: the object store has no tokens, its requests are signed")
    where = {name: body[name] for name in _WHERE if name in body and name not in ("kind", "operations")}
    return Fault(_fault_spec(faults, kind, body), tuple(body.get("operations", ("*",))), **where)


def _fault_spec(faults: Faults, kind: Any, body: Mapping[str, Any]) -> FaultSpec:
    members = {name: body[name] for name in _KINDS[kind] if name in body}
    if kind == "drop":
        members.setdefault("moment", "before")
    elif kind == "html":
        members.setdefault("status", HTTPStatus.BAD_GATEWAY.value)
    elif kind == "status":
        targets = [target for target in faults.targets.values() if target.name == body.get("document", target.name)]
        named = [target for target in targets if target.by_default or "document" in body]
        members |= _error(members, named)
    return FaultSpec(kind, **members)


def _error(members: Mapping[str, Any], targets: Sequence[FaultTarget]) -> dict[str, Any]:
    """Status, code and waiting time of an error, each of them from the others where it is not given."""
    status, code = members.get("status"), members.get("code")
    if status is None:
        known = (target.status_of(code) for target in targets) if code is not None else ()
        status = next((found for found in known if found is not None), None)
        if status is None:
            raise ValueError("status: give the HTTP status of the response, or a code that the emulator knows")
    if code is None:
        codes = [found for target in targets if (found := target.default_code(status)) is not None]
        if not codes or (len(targets) > 1 and not any(codes)):
            raise ValueError(f"code: give the error code that comes with status {status}")
        code = max(codes) or None
    error = {"status": status, "code": code}
    return {"retry_after": RETRY_AFTER_S, **error, **members} if status == HTTPStatus.TOO_MANY_REQUESTS else error

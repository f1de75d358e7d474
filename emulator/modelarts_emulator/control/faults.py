"""Injected faults, which the service does not have; they are kept in memory.

A fault is injected into calls of the operations it names: each one, or the first `count`; the first `after` calls are
spared.
`TaskFaults` injects faults into tasks of jobs instead.
"""

from __future__ import annotations

import asyncio
import builtins
import contextlib
import itertools
import logging
import secrets
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from http import HTTPStatus
from typing import Any, get_args

import jsonschema_rs
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from modelarts_emulator.engine import runs
from modelarts_emulator.engine.database import Database
from modelarts_emulator.engine.supervisor import Supervisor
from modelarts_emulator.errors import EmulatorError, right_name
from modelarts_emulator.execution.protocol import Executor, FailureKind, task_names
from modelarts_emulator.http.app import BoundFamily
from modelarts_emulator.http.contract import Operation
from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.http.family import ErrorFormat
from modelarts_emulator.s3 import xml
from modelarts_emulator.s3.call import FIRST_FORM
from modelarts_emulator.settings.files import own_table

log = logging.getLogger(__name__)

MAX_FAULTS = 1000
TASK_KINDS: tuple[str, ...] = get_args(FailureKind)
TASK_MEMBERS = ("job", "task", "kind")
RETRY_AFTER_S = 1  # what a 429 asks for by default
STORE = "obs"
METHODS = frozenset({"GET", "HEAD", "PUT", "POST", "DELETE"})
STORE_CODES = {403: "AccessDenied", 429: "SlowDown", 500: "InternalError", 503: "SlowDown"}
MESSAGE = "This response was asked for through the emulator's faults."
SOLUTION = "Clear the faults: modelarts emulator faults clear, or DELETE /_emulator/faults."

_TABLE = own_table(__file__, "faults.toml")
_KINDS: dict[str, dict[str, Any]] = _TABLE["kinds"]
_STATUSES = [status.value for status in HTTPStatus if status >= HTTPStatus.BAD_REQUEST]
_VALIDATORS = {
    kind: jsonschema_rs.Draft202012Validator(
        {
            **schema,
            "$defs": {"status": {"enum": _STATUSES}},
            "type": "object",
            "properties": _TABLE["where"] | schema["properties"],
        }
    )
    for kind, schema in _KINDS.items()
}


@dataclass(frozen=True, slots=True)
class Target:
    """A document with its errors; or the object store, without them, whose operations are the methods of HTTP."""

    name: str
    operations: frozenset[str]
    errors: ErrorFormat | None

    def status_of(self, code: str) -> int | None:
        """The status of an error code; None if it is not known."""
        return self.errors.status_of(code) if self.errors else None

    def default_code(self, status: int) -> str | None:
        """The code of an error with this status; None where the code must be given."""
        return self.errors.default_code(status) if self.errors else STORE_CODES.get(status)

    def response(self, error: ServiceError) -> Response:
        """The error as clients of the target get it."""
        if self.errors is None:
            members = [("Code", str(error.code)), ("Message", error.message)]
            content = xml.render("Error", members, namespace=None)
            return Response(content, error.status or 500, error.headers, media_type="application/xml")
        found = self.errors.response(error)
        return JSONResponse(found.body, found.status, {**found.headers, "X-Request-Id": secrets.token_hex(16)})


@dataclass(slots=True)
class Fault:
    """What goes wrong, where, and how often; without a `document`, in all of them but the object store.

    `seconds` pass; `moment` is when a connection is closed: before anything is done, after all is done, or in the
    middle of the response's body.
    """

    kind: str
    status: int | None = None
    code: str | None = None
    message: str | None = None
    retry_after: int | None = None
    seconds: float | None = None
    moment: str | None = None
    operations: list[str] = field(default_factory=lambda: ["*"])
    document: str | None = None
    count: int | None = None
    after: int = 0
    id: int = 0
    calls: int = 0
    applied: int = 0

    def selects(self, target: Target) -> bool:
        """Whether the fault names the target."""
        return target.name == self.document if self.document is not None else target.name != STORE

    def concerns(self, target: Target, operation: str) -> bool:
        """Whether the fault may be injected into calls of this operation."""
        return self.selects(target) and ("*" in self.operations or operation in self.operations)

    def view(self) -> dict[str, Any]:
        """The fault as the control API shows it."""
        return {name: value for name, value in asdict(self).items() if value is not None}


class Faults:
    """The faults in place, in the order in which they were added.

    `connections` are those of the servers, as uvicorn keeps them: each knows both its ends and its transport.
    """

    def __init__(self, families: Iterable[BoundFamily]) -> None:
        self._targets: dict[str, Target] = {}
        for bound in families:
            operations = frozenset(operation.operation_id for operation in bound.contract.operations)
            self._targets[bound.family.name] = Target(bound.family.name, operations, bound.family.errors)
        self._targets[STORE] = Target(STORE, METHODS, None)
        self.connections: list[Iterable[Any]] = []
        self._faults: list[Fault] = []
        self._ids = itertools.count(1)

    def list(self) -> builtins.list[dict[str, Any]]:
        """The faults as the control API shows them, with how many calls each has seen and changed."""
        return [fault.view() for fault in self._faults]

    def add(self, body: dict[str, Any]) -> Fault:
        """Put the fault that the body describes in place; raises ValueError, which names the member that is wrong."""
        fault = self._read(body)
        targets = [target for target in self._targets.values() if fault.selects(target)]
        known = {"*"}.union(*(target.operations for target in targets))
        for name in fault.operations:
            if name not in known:
                raise ValueError(f"operations: {name!r} does not exist: {right_name(name, sorted(known))}")
        if fault.kind == "status":
            _complete_error(fault, targets)
        if len(self._faults) >= MAX_FAULTS:
            raise ValueError(f"at most {MAX_FAULTS} faults are possible: clear them first")
        fault.id = next(self._ids)
        self._faults.append(fault)
        return fault

    def _read(self, body: dict[str, Any]) -> Fault:
        kind = body.get("kind")
        if kind in TASK_KINDS:
            raise ValueError(f"job: {kind} is a fault of a job: name the job by its id")
        if not isinstance(kind, str) or kind not in _VALIDATORS:
            if kind:
                raise ValueError(f"kind: {kind!r} does not exist: {right_name(kind, [*_KINDS, *TASK_KINDS])}")
            raise ValueError(f"kind: use one of {', '.join(_KINDS)}, or with a job one of {', '.join(TASK_KINDS)}")
        members = _TABLE["where"] | _KINDS[kind]["properties"]
        if unknown := sorted(set(body).difference(members)):
            name = unknown[0]
            raise ValueError(f"{name}: a fault of kind {kind} has no such member: {right_name(name, members)}")
        for error in _VALIDATORS[kind].iter_errors(body):
            raise ValueError(f"{'.'.join(map(str, error.instance_path)) or kind}: {error.message}")
        document = body.get("document")
        if document is not None and document not in self._targets:
            raise ValueError(f"document: {document!r} is not one of {', '.join(self._targets)}")
        if document != STORE and kind == "first_form":
            raise ValueError('document: only the object store lists objects: say "obs"')
        return Fault(**_TABLE["defaults"].get(kind, {}) | body)

    def clear(self) -> None:
        """Remove all faults."""
        self._faults.clear()

    async def __call__(self, operation: Operation, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the call of a family's operation, with the faults that there are for it."""
        await self.serve(operation.document, operation.operation_id, app, scope, receive, send)

    async def serve(
        self, target_name: str, operation: str, app: ASGIApp, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Serve a call with `app`, and with the faults that there are for it.

        Every fault that delays adds its seconds; of the others only the first is injected.
        """
        target = self._targets[target_name]
        injected: Fault | None = None
        delay_s = 0.0
        for fault in self._faults if operation in target.operations else ():
            delays = fault.kind == "latency"
            if (injected is None or delays) and fault.concerns(target, operation) and _is_applied(fault, operation):
                delay_s += fault.seconds or 0
                injected = injected if delays else fault
        if delay_s:
            await asyncio.sleep(delay_s)
        if injected is None:
            await app(scope, receive, send)
        elif injected.kind == "first_form":
            await app({**scope, FIRST_FORM: True}, receive, send)
        elif injected.kind == "drop":
            await self._drop(injected.moment, app, scope, receive, send)
        else:
            await _response(injected, target)(scope, receive, send)

    async def _drop(self, moment: str | None, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        is_broken = False

        async def break_off(message: Message) -> None:
            """Let the head of the response and half of its body's first piece out, and no more."""
            nonlocal is_broken
            if is_broken or moment == "after":
                return
            if message["type"] == "http.response.body":
                piece = message.get("body", b"")
                is_broken = bool(piece)
                message = {**message, "body": piece[: len(piece) // 2], "more_body": True}
            await send(message)

        if moment != "before":
            await app(scope, receive, break_off)
        ends = (scope["client"], scope["server"])
        for connection in itertools.chain.from_iterable(self.connections):
            if (connection.client, connection.server) == ends:
                connection.transport.close()
                break
        while (await receive())["type"] != "http.disconnect":
            pass


def _is_applied(fault: Fault, operation: str) -> bool:
    """Count a call that the fault concerns; whether the fault is injected into it, which is logged."""
    fault.calls += 1
    if fault.calls <= fault.after or (fault.count is not None and fault.applied >= fault.count):
        return False
    fault.applied += 1
    log.info("fault %d (%s) applied to a call of %s", fault.id, fault.kind, operation)
    return True


def _response(fault: Fault, target: Target) -> Response:
    if fault.kind == "html":  # of a proxy on the way, which knows nothing of the service's envelopes
        title = f"{fault.status} {HTTPStatus(fault.status or HTTPStatus.BAD_GATEWAY).phrase}"
        content = f"<html><head><title>{title}</title></head><body><h1>{title}</h1><hr>proxy</body></html>"
        return HTMLResponse(content, fault.status or HTTPStatus.BAD_GATEWAY)
    code = fault.code or target.default_code(fault.status or 0) or ""
    headers = {} if fault.retry_after is None else {"Retry-After": str(fault.retry_after)}
    is_documented = bool(fault.message) and target.status_of(code) is not None
    solution = None if is_documented else SOLUTION
    message = fault.message or MESSAGE
    return target.response(ServiceError(code, message, headers=headers, status=fault.status, solution=solution))


def _complete_error(fault: Fault, targets: Iterable[Target]) -> None:
    """Find status and waiting time of an error where they are not given; raises ValueError if its code is missing."""
    if fault.status is None:
        known = [target.status_of(fault.code) for target in targets if fault.code is not None]
        fault.status = next((found for found in known if found is not None), None)
        if fault.status is None:
            raise ValueError("status: give the HTTP status of the response, or a code that the emulator knows")
    if fault.code is None:
        codes = [found for target in targets if (found := target.default_code(fault.status)) is not None]
        if not codes or (fault.document is None and not any(codes)):
            raise ValueError(f"code: give the error code that comes with status {fault.status}")
    if fault.status == HTTPStatus.TOO_MANY_REQUESTS and fault.retry_after is None:
        fault.retry_after = RETRY_AFTER_S


@dataclass(frozen=True, slots=True)
class FaultyStore:
    """The object store as an ASGI application that faults may be injected into."""

    app: ASGIApp
    faults: Faults

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.faults.serve(STORE, scope["method"], self.app, scope, receive, send)


@dataclass(frozen=True, slots=True)
class TaskFaults:
    """Injects faults into tasks, through the executor."""

    database: Database
    executor: Executor
    supervisor: Supervisor

    async def inject(self, body: dict[str, Any]) -> dict[str, Any]:
        """Inject the fault `kind` into the `task` (`worker-0` unless said) of the `job`.

        Raises ValueError if it cannot, EmulatorError if another process supervises the jobs.
        """
        if not self.database.leadership.is_leader:
            raise EmulatorError("this front end does not supervise the jobs: cause faults of jobs at the one that does")
        job_id, task, kind = body.get("job"), body.get("task", "worker-0"), body.get("kind")
        if unknown := sorted(set(body) - set(TASK_MEMBERS)):
            raise ValueError(f"{unknown[0]}: a fault of a job has the members {', '.join(TASK_MEMBERS)}")
        if kind not in TASK_KINDS:
            raise ValueError(f"kind: a job can be {', '.join(TASK_KINDS)}")
        await asyncio.to_thread(self._inject, job_id, task, kind)
        self.supervisor.wake()
        log.info("fault %s applied to %s of job %s", kind, task, job_id)
        return {"job": job_id, "task": task, "kind": kind}

    def _inject(self, job_id: Any, task: Any, kind: FailureKind) -> None:
        """Inject the fault into the job, or into all trials of a search that run; raises ValueError if none runs."""
        with self.database.reading() as connection:
            job = runs.get(connection, job_id) if isinstance(job_id, str) else None
            if job is None:
                raise ValueError("job: no job has this id")
            found = runs.trials(connection, job) if job.is_search else [job]
        if task not in task_names(job.node_count):
            raise ValueError(f"task: the job has {', '.join(task_names(job.node_count))}")
        is_running = False
        for run in found:
            with contextlib.suppress(KeyError):  # it has not been started, or was removed meanwhile
                is_running |= self.executor.inject_fault(run.id, task, kind)
        if not is_running:
            raise ValueError(f"task: {task} does not run, so it cannot have a fault: the job's phase is {job.phase}")

"""Recorded calls: what clients asked of the documented operations, and what they got, in memory and without secrets."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections import deque
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from modelarts_documents.secrets import HIDDEN, is_secret, without_parameters, without_secrets
from modelarts_emulator.control.client import RecordedCall
from modelarts_emulator.errors import right_name
from modelarts_emulator.http.app import Middleware
from modelarts_emulator.http.contract import Operation

MAX_CALLS = 1000
MAX_BYTES = 16 << 20
"""More calls, or bytes of their bodies, than these push out the oldest."""
MAX_BODY_BYTES = 64 << 10  # of each body that are kept
REST_TIMEOUT_S = 0.5  # a client may wait for the response before it sends the rest of its request


class Calls:
    """The newest calls of these operations, oldest first; serves each with `inner` and what is behind it."""

    def __init__(self, inner: Middleware, operations: Iterable[Operation]) -> None:
        self._inner = inner
        self._names = {(operation.document, operation.operation_id) for operation in operations}
        self._calls: deque[RecordedCall] = deque()
        self._size = 0

    async def __call__(self, operation: Operation, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve and record the call. It is recorded before its client has the end of the response.

        Of a request that is rejected before its body is read, the body is read for the record.
        """
        transfer = _Transfer(receive)
        is_recorded = False

        async def writing(message: Message) -> None:
            nonlocal is_recorded
            transfer.note(message)
            if message["type"] == "http.response.body" and not message.get("more_body", False):
                await transfer.receive_rest()
                is_recorded = True
                self._record(operation, scope, transfer)
            await send(message)

        try:
            await self._inner(operation, app, scope, transfer.receive, writing)
        finally:
            if not is_recorded:
                self._record(operation, scope, transfer)

    def list(self, operation: str | None = None, document: str | None = None) -> list[dict[str, Any]]:
        """All calls as the control API shows them, or those of one operation or document.

        Raises ValueError for a name that none has.
        """
        known = sorted({name for of, name in self._names if document in (None, of)})
        if not known:
            documents = sorted({of for of, _ in self._names})
            raise ValueError(f"no document is named {document!r}: {right_name(document, documents)}")
        if operation is not None and operation not in known:
            raise ValueError(f"no operation is named {operation!r}: {right_name(operation, known)}")
        return [
            {**asdict(call), "query": call.query, "body": call.body, "response": call.response}
            for call in self._calls
            if operation in (None, call.operation) and document in (None, call.document)
        ]

    def clear(self) -> None:
        """Forget all calls."""
        self._calls.clear()
        self._size = 0

    def _record(self, operation: Operation, scope: Scope, transfer: _Transfer) -> None:
        is_login = operation.document == "iam"
        call = RecordedCall(
            operation.operation_id,
            operation.document,
            scope["method"],
            scope["path"],
            without_parameters(scope["query_string"].decode("latin-1")),
            transfer.start.get("status"),
            _headers(scope["headers"]),
            _text(bytes(transfer.sent[:MAX_BODY_BYTES]), is_login),
            _headers(transfer.start.get("headers", ())),
            _text(bytes(transfer.received[:MAX_BODY_BYTES]), is_login),
            transfer.started_at_s,
            time.time() - transfer.started_at_s,
            not transfer.is_whole,
        )
        self._calls.append(call)
        self._size += _size(call)
        while len(self._calls) > MAX_CALLS or self._size > MAX_BYTES:
            self._size -= _size(self._calls.popleft())


class _Transfer:
    """What passes between the client and the operation, with as much of the bodies as is kept."""

    def __init__(self, receive: Receive) -> None:
        self.started_at_s = time.time()
        self.sent, self.received = bytearray(), bytearray()
        self.start: Message = {}
        self._receive = receive
        self._is_complete = False

    async def receive(self) -> Message:
        """The next part of the request."""
        message = await self._receive()
        _extend(self.sent, message)
        self._is_complete = message["type"] == "http.request" and not message.get("more_body", False)
        return message

    async def receive_rest(self) -> None:
        """Receive what of the request nobody has asked for, as much as is kept."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(REST_TIMEOUT_S):
                while not self._is_complete and len(self.sent) <= MAX_BODY_BYTES:
                    if (await self.receive())["type"] == "http.disconnect":
                        break

    def note(self, message: Message) -> None:
        """Keep a part of the response."""
        if message["type"] == "http.response.start":
            self.start = message
        else:
            _extend(self.received, message)

    @property
    def is_whole(self) -> bool:
        """Whether both bodies are kept to their ends."""
        return self._is_complete and max(len(self.sent), len(self.received)) <= MAX_BODY_BYTES


def _extend(body: bytearray, message: Message) -> None:
    """Add a piece of the body; beyond what is kept one byte, which shows that there was more."""
    body.extend(message.get("body", b"")[: MAX_BODY_BYTES + 1 - len(body)])


def _size(call: RecordedCall) -> int:
    return len(call.request_text) + len(call.response_text)


def _headers(raw: Any) -> dict[str, str]:
    pairs = ((name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in raw)
    return {name: HIDDEN if is_secret(name) else value for name, value in pairs}


def _text(content: bytes, is_login: bool) -> str:
    """The text of a body without its secrets; of a login, only what is JSON."""
    if is_login:
        try:
            json.loads(content)
        except (ValueError, RecursionError):
            return ""
    return without_secrets(content.decode("utf-8", "replace"))

"""No request makes the store fail: whatever it gets, it serves it, rejects it (4xx), or does not offer it (501)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.types import ASGIApp
from tests.emulator.s3.conftest import key_pair
from tests.emulator.s3.hostile import BUCKET, KEYS, UPLOAD, Request, signed_request

from modelarts_emulator.s3.app import create_app
from modelarts_emulator.storage.multipart import Uploads
from modelarts_emulator.storage.protocol import PLAIN, Attributes, Store


@pytest.fixture
def hostile_store(tmp_path: Path) -> Iterator[Store]:
    """A store that holds a bucket for the requests to work on."""
    store = Store(tmp_path / "objects")
    store.create_bucket(BUCKET)
    for key in KEYS:
        store.put(BUCKET, key, b"" if key.endswith("/") else b"0123456789", Attributes(metadata={"a": "b"}))
    uploads = store.root / ".uploads"
    (uploads / Uploads(store).begin(BUCKET, "x", PLAIN).upload_id).rename(uploads / UPLOAD)
    yield store
    store.clear()


async def _response(app: ASGIApp, request: Request) -> tuple[int, dict[bytes, bytes], bytes]:
    """The response of an application to a request, without a network."""
    pieces = list(request.body)
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": pieces.pop(0) if pieces else b"", "more_body": bool(pieces)}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": request.method,
        "path": request.path,
        "raw_path": request.path.encode(),
        "query_string": request.query.encode(),
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in request.headers],
    }
    await app(scope, receive, send)
    body = b"".join(message.get("body", b"") for message in sent[1:])
    return sent[0]["status"], dict(sent[0]["headers"]), body


def _check(status: int, headers: dict[bytes, bytes], body: bytes) -> None:
    assert status < 500 or status == 501, body
    assert not any(re.search(rb"[\x00-\x08\x0a-\x1f\x7f]", value) for value in headers.values())
    if headers.get(b"content-type") == b"application/xml" and body and status != 206:
        ElementTree.fromstring(body)


def _send(store: Store, seed: int) -> None:
    """Five requests, of which each gets a response that a store may give."""
    app, random = create_app(store, [key_pair()]), Random(seed)

    async def send() -> None:
        for _ in range(5):
            _check(*await _response(app, signed_request(random)))

    asyncio.run(send())


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(st.integers(0, 2**64))
def test_no_signed_request_makes_the_store_fail(hostile_store: Store, seed: int) -> None:
    """Wrong values behind right signatures get a response below 500, or 501, whose XML and headers are well-formed."""
    _send(hostile_store, seed)


@pytest.mark.soak
def test_many_signed_requests_do_not_make_the_store_fail(hostile_store: Store) -> None:
    for seed in range(3000):
        _send(hostile_store, seed)

"""No request makes the store fail: whatever it gets, it serves it, rejects it (4xx), or does not offer it (501)."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote_from_bytes
from xml.etree import ElementTree

import pytest
from starlette.types import ASGIApp
from tests.emulator.s3.conftest import key_pair

from modelarts_emulator.http import signatures
from modelarts_emulator.s3 import sigv4
from modelarts_emulator.s3.app import create_app
from modelarts_emulator.storage.multipart import Uploads
from modelarts_emulator.storage.objects import PLAIN, Attributes
from modelarts_emulator.storage.protocol import Store


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


@pytest.mark.parametrize("rounds", [100, pytest.param(3000, marks=pytest.mark.soak)])
def test_no_signed_request_makes_the_store_fail(hostile_store: Store, rounds: int) -> None:
    """Wrong values behind right signatures get a response below 500, or 501, whose XML and headers are well-formed."""
    app = create_app(hostile_store, [key_pair()])

    async def send(random: Random) -> None:
        for _ in range(5):
            _check(*await _response(app, signed_request(random)))

    for seed in range(rounds):
        asyncio.run(send(Random(seed)))


ACCESS_KEY, SECRET_KEY = "TESTACCESSKEY", "test-secret-key"
BUCKET, KEYS = "hostile", ("x", "a/b", "folder/")

UPLOAD = "0" * 32
"""An upload in parts, to the key x, that the store should have."""

_OPERATIONS = [
    *(("PUT", True, ""), ("GET", True, ""), ("HEAD", True, ""), ("DELETE", True, ""), ("POST", True, "uploads")),
    *(("PUT", True, f"uploadId={UPLOAD}&partNumber=1"), ("GET", True, f"uploadId={UPLOAD}")),
    *(("POST", True, f"uploadId={UPLOAD}"), ("DELETE", True, "uploadId=" + "1" * 32), ("GET", False, "uploads")),
    *(("GET", False, ""), ("GET", False, "list-type=2"), ("GET", False, "location"), ("POST", False, "delete")),
    *(("PUT", False, ""), ("HEAD", False, ""), ("DELETE", False, "")),
]
_METHODS = ["GET", "HEAD", "PUT", "POST", "DELETE", "OPTIONS", "PATCH", "TRACE", "get", "M-SEARCH"]
_VALUES = [
    *("prefix", "delimiter", "marker", "start-after", "continuation-token", "max-keys", "encoding-type", "fetch-owner"),
    *("max-parts", "part-number-marker", "key-marker", "upload-id-marker", "max-uploads", "x-id"),
    *("response-content-type", "response-expires", "response-content-disposition"),
]
_SUBRESOURCES = [
    *("list-type", "location", "uploads", "uploadId", "partNumber", "delete", "versioning", "acl", "tagging"),
    *("X-Amz-Signature", "X-Amz-Date", "AWSAccessKeyId", "versions"),
]
_HEADERS = [
    *("range", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "content-md5", "content-type"),
    *("x-amz-copy-source", "x-amz-copy-source-range", "x-amz-copy-source-if-match", "x-amz-metadata-directive"),
    *("x-amz-copy-source-if-modified-since", "x-amz-copy-source-if-unmodified-since", "x-obs-copy-source"),
    *("x-amz-checksum-crc32", "x-amz-checksum-sha256", "x-amz-checksum-sha1", "x-amz-checksum-crc32c", "x-amz-trailer"),
    *("x-amz-decoded-content-length", "x-amz-meta-a", "x-amz-acl", "x-amz-storage-class", "x-amz-tagging", "expires"),
    *("content-encoding", "cache-control", "content-disposition", "x-amz-sdk-checksum-algorithm", "expect", "origin"),
]
_TEXTS = [
    *("", "0", "1", "-1", "2", "1000", "99999999999999999999", "1e9", "٣", "²", "url", "/", "*", "null", "true", "é"),
    *("\0", "\n", "\r\n", "\x01", "\x7f", "\ufffe", "🙂", "..", "../x", "a//b", "x" * 300, "x/" * 600, "%", "%zz"),
    *("&=?#", "bytes=0-0", "bytes=-", "bytes=5-1", "bytes=0-1,2-3", "bytes=" + "9" * 60 + "-", '"etag"', 'W/"x", *'),
    *("Mon, 01 Jan 99999999999999 00:00:00 GMT", "Thu, 01 Jan 0001 00:00:00 +9999", "Sun, 06 Nov 1994 08:49:37 GMT"),
    *("Mon, 01 Jan 2024 00:00:00 -99999999999999999", "hostile/x", "/hostile/a%2Fb", "hostile/none?versionId=1"),
    *("aws-chunked", "x-amz-checksum-crc32", "COPY", "REPLACE", "private", "STANDARD", "0" * 32, "text/plain"),
    *("100-continue", "AAAAAA==", "crc32"),
]
_ENCODINGS = ["utf-8", "foo", "shift_jis", "utf-7", "base64", "idna", "undefined", "utf-16", "rot13", "", "é"]
_DOCUMENTS = [
    "<Delete><Object><Key>{0}</Key></Object></Delete>",
    "<Delete><Quiet>{0}</Quiet><Object><Key>x</Key><VersionId>{0}</VersionId></Object></Delete>",
    "<CompleteMultipartUpload><Part><PartNumber>{0}</PartNumber><ETag>{0}</ETag></Part></CompleteMultipartUpload>",
    "<CreateBucketConfiguration><LocationConstraint>{0}</LocationConstraint></CreateBucketConfiguration>",
    "<CreateBucketConfiguration><{0}/></CreateBucketConfiguration>",
    "<!DOCTYPE Delete [<!ENTITY a '{0}'>]><Delete><Object><Key>&a;</Key></Object></Delete>",
    "<Delete xmlns='{0}'><Object/></Delete>",
]


@dataclass(frozen=True)
class Request:
    """A request as it goes over the wire; `body` in pieces."""

    method: str
    path: str
    query: str
    headers: Sequence[tuple[str, str]]
    body: Sequence[bytes]


def _text(random: Random) -> str:
    kind = random.random()
    if kind < 0.75:
        return random.choice(_TEXTS)
    if kind < 0.9:
        return "".join(
            chr(random.choice((random.randrange(128), random.randrange(0x3000)))) for _ in range(random.randrange(20))
        )
    return random.choice(_TEXTS) + random.choice(_TEXTS)


def _encoded(random: Random, text: str) -> str:
    content = text.encode()
    if random.random() < 0.1:
        content += bytes([random.randrange(256)])  # perhaps not UTF-8
    return quote_from_bytes(content, safe=random.choice(("", "/", "/.~-")))


def _header(text: str) -> str:
    """The text as far as a header can carry it, in latin-1."""
    return re.sub(r"[^\t\x20-\x7e\x80-\xff]", "", text).strip()


def _body(random: Random) -> bytes:
    kind = random.random()
    if kind < 0.3:
        return random.randbytes(random.randrange(100))
    if kind < 0.4:
        return _chunked(random)
    if kind < 0.45:
        return b"<a>" * random.randrange(5_000)
    text = random.choice(_DOCUMENTS).format(_text(random))
    encoding = random.choice(_ENCODINGS)
    document = f'<?xml version="1.0" encoding="{encoding}"?>{text}' if random.random() < 0.6 else text
    return document.encode(random.choice(("utf-8", "utf-16", "utf-7")), "replace")


def _chunked(random: Random) -> bytes:
    sizes = ["5", "0", "-1", "g", "fffffffffffffff", "5;chunk-signature=" + "0" * 64, ""]
    trailer = random.choice(["x-amz-checksum-crc32:AAAAAA==", "x-amz-checksum-crc32:\xe9", "x" * 50, ""])
    return f"{random.choice(sizes)}\r\nhello\r\n{random.choice(sizes)}\r\n{trailer}\r\n\r\n".encode("latin-1")


def _payload(random: Random, body: bytes) -> str:
    constants = ["STREAMING-UNSIGNED-PAYLOAD-TRAILER", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"]
    constants += ["STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER", "0" * 64, "", _header(_text(random))]
    return random.choice([sigv4.UNSIGNED] * 6 + [hashlib.sha256(body).hexdigest()] * 2 + constants)


def signed_request(random: Random) -> Request:
    """A request with wrong values, and (nearly always) the right signature."""
    method, has_key, query = random.choice(_OPERATIONS)
    if random.random() < 0.05:
        method = random.choice(_METHODS)
    bucket = BUCKET if random.random() < 0.9 else random.choice(["", "none-such", "made-1", "made-2", _text(random)])
    key = random.choice([*KEYS, *KEYS, _text(random), _text(random)]) if has_key else ""
    path = f"/{_encoded(random, bucket)}" + (f"/{_encoded(random, key)}" if key or random.random() < 0.2 else "")
    names = random.sample(_VALUES, random.choice((0, 0, 1, 1, 1, 2, 3)))
    if random.random() < 0.1:
        names.append(random.choice(_SUBRESOURCES))
    pairs = [f"{name}={_encoded(random, _text(random))}" if random.random() < 0.9 else name for name in names]
    query = "&".join([query, *pairs] if query else pairs)
    body = _body(random)
    values = {name: _header(_text(random)) for name in random.sample(_HEADERS, random.choice((0, 0, 1, 1, 2, 3)))}
    if "content-md5" in values and random.random() < 0.5:
        values["content-md5"] = base64.b64encode(hashlib.md5(body).digest()).decode()
    timestamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    if random.random() < 0.03:
        timestamp = _header(_text(random))
    scope = f"{timestamp[:8]}/{random.choice(('local', 'eu-de'))}/s3/aws4_request"
    payload = _payload(random, body)
    values |= {"host": "127.0.0.1", "x-amz-content-sha256": payload, "x-amz-date": timestamp}
    request = signatures.Request(method, path, query, list(values.items()))
    canonical = sigv4.canonical_request(request, list(values), payload)
    signature = sigv4.sign(SECRET_KEY, timestamp, scope, canonical)
    credential = f"{ACCESS_KEY}/{scope}" if random.random() < 0.97 else _header(_text(random))
    values["authorization"] = (
        f"{sigv4.ALGORITHM} Credential={credential}, SignedHeaders={';'.join(values)}, Signature={signature}"
    )
    cut = random.randrange(len(body) + 1)
    return Request(method, path, query, list(values.items()), [body[:cut], body[cut:]])

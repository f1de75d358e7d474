"""No request makes the store fail: whatever it gets, it serves it, rejects it (4xx), or does not offer it (501)."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote_from_bytes
from xml.etree import ElementTree

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from starlette.types import ASGIApp
from tests.emulator.s3.conftest import key_pair, sign_headers

from modelarts_emulator.s3 import sigv4
from modelarts_emulator.s3.app import create_app
from modelarts_emulator.storage.multipart import Uploads
from modelarts_emulator.storage.objects import PLAIN, Attributes
from modelarts_emulator.storage.protocol import Store

BUCKET, KEYS = "hostile", ("x", "a/b", "folder/")
UPLOAD = "0" * 32
"""An upload in parts, to the key x, that the store has."""


@dataclass(frozen=True)
class Hostile:
    """A request before it is signed. The body comes in two pieces; without a timestamp it is from now."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Sequence[bytes] = (b"", b"")
    payload: str = sigv4.UNSIGNED
    timestamp: str | None = None
    credential: str | None = None

    def signed_headers(self) -> Mapping[str, str]:
        """The headers with the signature, which is right unless the credential is not."""
        timestamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime()) if self.timestamp is None else self.timestamp
        headers = {**self.headers, "host": "127.0.0.1", "x-amz-content-sha256": self.payload}
        return sign_headers(self.method, self.path, self.query, headers, timestamp, self.credential)


_PAGE = ["prefix", "delimiter", "marker", "max-keys", "encoding-type", "fetch-owner", "start-after"]
_CHECKSUMS = ["x-amz-checksum-crc32", "x-amz-checksum-sha256", "x-amz-checksum-sha1", "x-amz-checksum-crc32c"]
_CONDITIONS = ["if-match", "if-none-match", "if-modified-since", "if-unmodified-since"]
_WRITTEN = ["content-md5", "content-encoding", "x-amz-meta-a", "x-amz-decoded-content-length", *_CHECKSUMS]
_COPY = {"x-amz-copy-source": f"{BUCKET}/x"}
_UPLOADED = f"uploadId={UPLOAD}"
_OPERATIONS: list[tuple[str, bool, str, list[str], list[str]]] = [
    ("GET", False, "", _PAGE, []),
    ("GET", False, "list-type=2", [*_PAGE, "continuation-token"], []),
    ("GET", False, "uploads", ["max-uploads", "key-marker", "upload-id-marker", "prefix", "encoding-type"], []),
    ("POST", False, "delete", [], _WRITTEN),
    ("PUT", False, "", [], ["x-amz-acl", *_WRITTEN]),
    ("HEAD", False, "", [], []),
    ("DELETE", False, "", [], []),
    ("GET", True, "", ["response-content-type", "response-expires", "partNumber"], ["range", *_CONDITIONS]),
    ("HEAD", True, "", ["response-content-disposition"], ["range", *_CONDITIONS]),
    ("PUT", True, "", [], [*_CONDITIONS, *_WRITTEN]),
    ("PUT", True, "", [], ["x-amz-copy-source", *(f"x-amz-copy-source-{name}" for name in _CONDITIONS)]),
    ("DELETE", True, "", ["x-id"], _CONDITIONS),
    ("POST", True, "uploads", [], _WRITTEN),
    ("PUT", True, f"{_UPLOADED}&partNumber=1", ["partNumber"], _WRITTEN),
    ("PUT", True, f"{_UPLOADED}&partNumber=2", [], ["x-amz-copy-source-range"]),
    ("GET", True, _UPLOADED, ["max-parts", "part-number-marker"], []),
    ("POST", True, _UPLOADED, [], [*_CONDITIONS, *_WRITTEN]),
    ("DELETE", True, "uploadId=" + "1" * 32, [], []),
]
"""Method, whether it is about an object, query, and the parameters and headers that matter to it."""

_METHODS = ["OPTIONS", "PATCH", "TRACE", "get", "M-SEARCH", "POST", "PUT", "GET"]
_SUBRESOURCES = [
    *("list-type", "location", "uploads", "uploadId", "partNumber", "delete", "versioning", "acl", "tagging"),
    *("X-Amz-Signature", "X-Amz-Date", "AWSAccessKeyId", "versions"),
]
_ANY_HEADERS = [
    *("x-amz-copy-source", "x-obs-copy-source", "x-amz-trailer", "x-amz-storage-class", "x-amz-tagging", "expires"),
    *("content-type", "x-amz-metadata-directive", "x-amz-checksum-sha1"),
    *("cache-control", "content-disposition", "x-amz-sdk-checksum-algorithm", "expect", "origin", "range"),
]
_NUMBERS = ["0", "", "-1", "9" * 20, "1e9", "٣", "²", "1_0"]
_RANGES = ["bytes=5-", "bytes=5-1", "bytes=-5", "bytes=-", "bytes=0-1,2-3", f"bytes={'9' * 60}-", "bytes=²-³"]
_DATES = [
    *("Mon, 01 Jan 99999999999999 00:00:00 GMT", "Thu, 01 Jan 0001 00:00:00 +9999", "Sun, 06 Nov 1994 08:49:37 GMT"),
    "Mon, 01 Jan 2024 00:00:00 -99999999999999999",
]
_TEXTS = [
    *("", "url", "/", "*", "null", "true", "é", "\0", "\n", "\r\n", "\x01", "\x7f", "\ufffe", "🙂", "..", "../x"),
    *("a//b", "x" * 300, "x/" * 600, "%", "%zz", "&=?#", '"etag"', 'W/"x", *', "hostile/x", "/hostile/a%2Fb"),
    *("hostile/none?versionId=1", "aws-chunked", "x-amz-checksum-crc32", "COPY", "REPLACE", "private", "STANDARD"),
    *("0" * 32, "text/plain", "100-continue", "AAAAAA==", "crc32"),
]
_TWISTS = ["", "", "", "", "bucket", "key", "query", "header", "body", "method", "timestamp", "credential"]
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
_TRAILERS = ["x-amz-checksum-crc32:AAAAAA==", "x-amz-checksum-crc32:\xe9", "x" * 50, ""]
_PAYLOADS = [
    *("STREAMING-UNSIGNED-PAYLOAD-TRAILER", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD", "0" * 64, ""),
    "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER",
]

texts = st.sampled_from(_TEXTS) | st.text(max_size=20) | st.builds("{}{}".format, *[st.sampled_from(_TEXTS)] * 2)
sizes = st.sampled_from(["5", "0", "-1", "g", "fffffffffffffff", "5;chunk-signature=" + "0" * 64, ""])
chunked = st.builds("{}\r\nhello\r\n{}\r\n{}\r\n\r\n".format, sizes, sizes, st.sampled_from(_TRAILERS))


def wrong_values(name: str) -> Sequence[str | None]:
    """What a parameter or header is given that is wrong for it; None stands for any text."""
    kinds = {"max-|[nN]umber|length": _NUMBERS, "range": _RANGES, "since|expires": _DATES}
    return [value for pattern, values in kinds.items() if re.search(pattern, name) for value in values] + [None]


_CASES = [
    (method, is_of_object, query, name, value, name in headers)
    for method, is_of_object, query, parameters, headers in _OPERATIONS
    for name in [*parameters, *headers] or ["x-id"]
    for value in wrong_values(name)
]


@st.composite
def encoded(draw: st.DrawFn, values: st.SearchStrategy[str]) -> str:
    """A text in a URL, which perhaps is not UTF-8."""
    content = draw(values).encode() + draw(st.sampled_from([b"", b"", b"", b"\xe9"]))
    return quote_from_bytes(content, safe=draw(st.sampled_from(["/", "", "/.~-"])))


@st.composite
def documents(draw: st.DrawFn) -> bytes:
    text = draw(st.sampled_from(_DOCUMENTS)).format(draw(texts | st.sampled_from(_NUMBERS)))
    if draw(st.booleans()):
        text = f'<?xml version="1.0" encoding="{draw(st.sampled_from(_ENCODINGS))}"?>{text}'
    return text.encode(draw(st.sampled_from(["utf-8", "utf-16", "utf-7"])), "replace")


bodies = st.one_of(
    documents(),
    st.binary(max_size=100),
    chunked.map(lambda text: text.encode("latin-1")),
    st.integers(0, 5000).map(lambda depth: b"<a>" * depth),
)


def header(text: str) -> str:
    """The text as far as a header can carry it, in latin-1."""
    return re.sub(r"[^\t\x20-\x7e\x80-\xff]", "", text).strip()


@st.composite
def requests(draw: st.DrawFn) -> Hostile:
    """A request with wrong values, or with one of the twists."""
    method, is_of_object, query, name, value, is_header = draw(st.sampled_from(_CASES))
    twist = draw(st.sampled_from(_TWISTS))
    path = f"/{draw(encoded(texts)) if twist == 'bucket' else BUCKET}"
    if is_of_object:
        keys = encoded(texts) if twist == "key" else st.sampled_from(KEYS[:1] if UPLOAD in query else KEYS)
        path += f"/{draw(keys)}"
    wrong = texts if value is None else st.just(value)
    pairs = [] if is_header else [f"{name}={draw(encoded(wrong))}"]
    if twist == "query":
        pairs.append(draw(st.sampled_from(_SUBRESOURCES)))
    values = {name: header(draw(wrong))} if is_header else {}
    is_copy = name.startswith("x-amz-copy")
    if is_copy:
        values = _COPY | values
    if twist == "header":
        values[draw(st.sampled_from(_ANY_HEADERS))] = header(draw(texts))
    body, payload = b"", sigv4.UNSIGNED
    if (method in ("PUT", "POST") and not is_copy) or twist == "body":
        body = draw(bodies)
        payload = draw(st.sampled_from([payload, hashlib.sha256(body).hexdigest(), *_PAYLOADS]))
    if values.get("content-md5") == "":
        values["content-md5"] = base64.b64encode(hashlib.md5(body).digest()).decode()
    cut = draw(st.integers(0, len(body)))
    return Hostile(
        draw(st.sampled_from(_METHODS)) if twist == "method" else method,
        path,
        "&".join([query, *pairs] if query else pairs),
        values,
        (body[:cut], body[cut:]),
        payload,
        header(draw(texts)) if twist == "timestamp" else None,
        header(draw(texts)) if twist == "credential" else None,
    )


def fill(store: Store) -> None:
    """Let the bucket, its objects and the upload be there for the next requests to work on."""
    if not store.has_bucket(BUCKET):
        store.create_bucket(BUCKET)
    present = {entry.key for entry in store.list(BUCKET).objects}
    for key in set(KEYS) - present:
        store.put(BUCKET, key, b"" if key.endswith("/") else b"0123456789", Attributes(metadata={"a": "b"}))
    uploads = store.root / ".uploads"
    if not (uploads / UPLOAD).exists():
        begun = Uploads(store).begin(BUCKET, "x", PLAIN).upload_id
        folder = (uploads / begun).rename(uploads / UPLOAD)
        (folder / "upload.json").write_text((folder / "upload.json").read_text("utf-8").replace(begun, UPLOAD), "utf-8")


async def _check_response(app: ASGIApp, request: Hostile) -> None:
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
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in request.signed_headers().items()],
    }
    await app(scope, receive, send)
    status, headers = sent[0]["status"], dict(sent[0]["headers"])
    body = b"".join(message.get("body", b"") for message in sent[1:])
    assert status < 500 or status == 501, body
    assert not any(re.search(rb"[\x00-\x08\x0a-\x1f\x7f]", value) for value in headers.values()), headers
    if headers.get(b"content-type") == b"application/xml" and body and status != 206:
        ElementTree.fromstring(body)


@pytest.mark.parametrize("examples", [100, pytest.param(10_000, marks=pytest.mark.soak)])
def test_no_signed_request_makes_the_store_fail(tmp_path: Path, examples: int) -> None:
    """Wrong values behind right signatures get a response below 500, or 501, whose XML and headers are well-formed."""
    store = Store(tmp_path / "objects", is_durable=False)
    app = create_app(store, [key_pair()])

    @settings(max_examples=examples)
    @given(requests())
    @example(Hostile("GET", f"/{BUCKET}", "max-keys=%C2%B2"))
    @example(
        Hostile("PUT", f"/{BUCKET}/x", f"{_UPLOADED}&partNumber=2", _COPY | {"x-amz-copy-source-range": "bytes=5-"})
    )
    @example(Hostile("HEAD", f"/{BUCKET}/x", "", {"if-unmodified-since": _DATES[-1]}))
    def check(request: Hostile) -> None:
        fill(store)
        asyncio.run(_check_response(app, request))

    check()

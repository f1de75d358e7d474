"""Calls on objects: copies, ranges, parts, attributes and conditions, on a real port."""

from __future__ import annotations

import asyncio
import datetime
import errno
import hashlib
import os
import socket
from collections.abc import AsyncIterator
from typing import Any
from unittest.mock import Mock
from urllib.parse import urlsplit

import pytest
from tests.emulator.conftest import eventually
from tests.emulator.s3.conftest import Storage, error_of, send, signed
from tests.emulator.storage.conftest import store_error

from modelarts_emulator.s3.body import Body


def test_a_copy_to_itself_has_to_change_something(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="x", Body=b"1")
    copy = {"Bucket": bucket, "Key": "x", "CopySource": f"{bucket}/x"}

    assert error_of(s3.copy_object, **copy) == (400, "InvalidRequest")
    s3.copy_object(**copy, MetadataDirective="REPLACE", Metadata={"b": "2"})
    s3.copy_object(**copy, StorageClass="STANDARD")  # also one that the object has
    assert s3.head_object(Bucket=bucket, Key="x")["Metadata"] == {"b": "2"}


@pytest.mark.parametrize(
    ("wanted", "expected", "content_range"),
    [
        ("bytes=2-4", b"234", "bytes 2-4/10"),
        ("bytes=7-", b"789", "bytes 7-9/10"),
        ("bytes=-2", b"89", "bytes 8-9/10"),
        ("bytes=8-99", b"89", "bytes 8-9/10"),
        ("bytes=-99", b"0123456789", "bytes 0-9/10"),
        (f"bytes=0-{'9' * 5000}", b"0123456789", ""),
    ],
)
def test_ranges_get_a_partial_response(s3: Any, bucket: str, wanted: str, expected: bytes, content_range: str) -> None:
    s3.put_object(Bucket=bucket, Key="x", Body=b"0123456789")
    got = s3.get_object(Bucket=bucket, Key="x", Range=wanted)

    assert (got["Body"].read(), got.get("ContentRange", "")) == (expected, content_range)
    assert error_of(s3.get_object, Bucket=bucket, Key="x", Range="bytes=10-") == (416, "InvalidRange")


def test_conditions_are_kept(storage: Storage, s3: Any, bucket: str) -> None:
    """Last-Modified itself is such a date; deletions, and sources of copies, have no conditions."""
    etag = s3.put_object(Bucket=bucket, Key="x", Body=b"1")["ETag"]
    modified, second = s3.head_object(Bucket=bucket, Key="x")["LastModified"], datetime.timedelta(seconds=1)

    answers = [
        error_of(s3.get_object, Bucket=bucket, Key="x", IfModifiedSince=since)
        for since in (modified, modified + second)
    ]
    assert answers == [(304, "304")] * 2
    assert s3.get_object(Bucket=bucket, Key="x", IfModifiedSince=modified - second)["Body"].read() == b"1"
    assert error_of(s3.get_object, Bucket=bucket, Key="x", IfMatch='"other"')[0] == 412
    assert error_of(s3.get_object, Bucket=bucket, Key="x", IfUnmodifiedSince=modified - second)[0] == 412
    s3.get_object(Bucket=bucket, Key="x", IfMatch=etag, IfUnmodifiedSince=modified - second)  # the ETag counts
    assert error_of(s3.get_object, Bucket=bucket, Key="x", IfNoneMatch=etag)[0] == 304
    assert error_of(s3.put_object, Bucket=bucket, Key="x", Body=b"2", IfNoneMatch="*") == (412, "PreconditionFailed")
    assert error_of(s3.put_object, Bucket=bucket, Key="x", Body=b"2", IfMatch='"other"') == (412, "PreconditionFailed")
    newest = s3.put_object(Bucket=bucket, Key="x", Body=b"2", IfMatch=etag)["ETag"]
    assert newest != etag
    found = [error_of(s3.put_object, Bucket=bucket, Key="y", Body=b"2", IfMatch=unknown) for unknown in (etag, "*")]
    assert found == [(404, "NoSuchKey")] * 2
    copy = {"Bucket": bucket, "Key": "y", "CopySource": f"{bucket}/x", "CopySourceIfMatch": newest}
    assert error_of(s3.copy_object, **copy) == (501, "NotImplemented")
    for condition in ({"ETag": newest}, {"Size": 1}):
        many = {"Objects": [{"Key": "x", **condition}]}
        assert error_of(s3.delete_objects, Bucket=bucket, Delete=many) == (501, "NotImplemented"), condition
    assert error_of(s3.delete_object, Bucket=bucket, Key="x", IfMatch=newest) == (501, "NotImplemented")
    s3.delete_object(Bucket=bucket, Key="x")
    s3.put_object(Bucket=bucket, Key="x", Body=b"3", IfNoneMatch="*")
    s3.put_object(Bucket=bucket, Key="x", Body=b"4", IfMatch="*")
    assert s3.get_object(Bucket=bucket, Key="x")["Body"].read() == b"4"


def test_a_body_that_is_not_the_announced_one_is_rejected_and_not_kept(storage: Storage, s3: Any, bucket: str) -> None:
    """Also one whose checksum cannot be verified, or that was not signed; a byte above 127 is no part of a checksum."""
    checksums = {"ChecksumCRC32": "AAAAAA==", "ChecksumSHA256": "A" * 43 + "=", "ContentMD5": "A" * 22 + "=="}
    for name, checksum in checksums.items():
        error = error_of(s3.put_object, Bucket=bucket, Key="x", Body=b"hello", **{name: checksum})
        assert error == (400, "BadDigest"), name
    for name, value, status, said in (
        ("content-md5", "\xe9", 400, "<Code>InvalidDigest</Code>"),
        ("x-amz-checksum-sha256", "\xe9", 400, "<Code>BadDigest</Code>"),
        ("x-amz-checksum-sha512", "x-amz-checksum-sha512", 501, "x-amz-checksum-sha512"),
        ("x-amz-trailer", "x-amz-checksum-sha512", 501, "x-amz-checksum-sha512"),
    ):
        found, text = send(storage, "PUT", f"/{bucket}/x", content=b"hello", more={name: value})
        assert (found, said in text) == (status, True), name
    assert storage.store.list(bucket).objects == []

    headers = signed(storage, "PUT", f"/{bucket}/x", "", hashlib.sha256(b"signed").hexdigest())

    response = storage.http.put(f"{storage.endpoint}/{bucket}/x", content=b"forged", headers=headers)
    assert (response.status_code, "XAmzContentSHA256Mismatch" in response.text) == (400, True)
    assert storage.http.put(f"{storage.endpoint}/{bucket}/x", content=b"signed", headers=headers).status_code == 200


@pytest.mark.parametrize(
    ("checksum", "length", "expected"),
    [
        ("NhCmhg==", "5", (200, "")),
        ("AAAAAA==", "5", (400, "BadDigest")),
        ("NhCmhg==", "6", (400, "IncompleteBody")),
    ],
)
def test_a_checksum_may_follow_the_body(
    storage: Storage, bucket: str, checksum: str, length: str, expected: Any
) -> None:
    more = {
        "content-encoding": "aws-chunked",
        "x-amz-decoded-content-length": length,
        "x-amz-trailer": "x-amz-checksum-crc32",
    }
    body = f"5\r\nhello\r\n0\r\nx-amz-checksum-crc32:{checksum}\r\n\r\n".encode()
    payload = "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
    status, text = send(storage, "PUT", f"/{bucket}/x", content=body, payload=payload, more=more)

    assert (status, expected[1] in text) == (expected[0], True)
    if not expected[1]:
        assert storage.store.read(bucket, "x") == b"hello"
        assert "content-encoding" not in storage.store.head(bucket, "x").headers


def test_an_upload_that_breaks_off_leaves_nothing(storage: Storage, s3: Any, bucket: str) -> None:
    url = s3.generate_presigned_url("put_object", Params={"Bucket": bucket, "Key": "x"})
    parts = urlsplit(url)
    with socket.create_connection((parts.hostname or "", parts.port or 0)) as connection:
        head = f"PUT {parts.path}?{parts.query} HTTP/1.1\r\nHost: {parts.netloc}\r\nContent-Length: 1000000\r\n\r\n"
        connection.sendall(head.encode() + b"x" * 900_000)
        drafts = storage.store.root / ".drafts"
        eventually(lambda: drafts.exists() and list(drafts.iterdir()))
    eventually(lambda: not list(drafts.iterdir()))

    assert "Contents" not in s3.list_objects_v2(Bucket=bucket)


def test_a_presigned_url_lives_a_week_at_most(storage: Storage, s3: Any, bucket: str) -> None:
    def status(expires: int) -> int:
        url = s3.generate_presigned_url("get_object", Params={"Bucket": bucket, "Key": "x"}, ExpiresIn=expires)
        return storage.http.get(url).status_code

    assert {expires: status(expires) for expires in (604800, 604801)} == {604800: 404, 604801: 400}


def test_a_client_learns_what_is_wrong_with_the_disk(
    storage: Storage, s3: Any, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failing disk has a code of its own for each cause, and the old object is still served."""
    s3.put_object(Bucket=bucket, Key="x", Body=b"old")
    for code, expected in [
        (errno.ENOSPC, (403, "InsufficientStorageSpace")),
        (errno.EDQUOT, (403, "InsufficientStorageSpace")),
        (errno.EROFS, (403, "AccessDenied")),
        (errno.EMFILE, (503, "ServiceUnavailable")),
        (errno.EIO, (500, "InternalError")),
    ]:
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", Mock(side_effect=OSError(code, os.strerror(code))))
            assert error_of(s3.put_object, Bucket=bucket, Key="x", Body=b"new") == expected, code
        assert s3.get_object(Bucket=bucket, Key="x")["Body"].read() == b"old", code
        assert list((storage.store.root / ".drafts").iterdir()) == [], code


def test_an_acknowledged_object_was_flushed_before_it_got_its_name(
    s3: Any, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client gets its response only after the bytes were flushed, and they were flushed before the rename."""
    name = {"Bucket": bucket, "Key": "x"}
    name["UploadId"] = s3.create_multipart_upload(**name)["UploadId"]
    etag = s3.upload_part(**name, PartNumber=1, Body=b"1")["ETag"]
    parts = {"Parts": [{"PartNumber": 1, "ETag": etag}]}
    calls: list[str] = []

    def record(name: str) -> None:
        original = getattr(os, name)

        def call(*arguments: Any) -> Any:
            calls.append(name)
            return original(*arguments)

        monkeypatch.setattr(os, name, call)

    record("fsync")
    record("replace")
    writes = {
        "put": lambda: s3.put_object(Bucket=bucket, Key="source", Body=b"1"),
        "copy": lambda: s3.copy_object(Bucket=bucket, Key="y", CopySource=f"{bucket}/source"),
        "complete": lambda: s3.complete_multipart_upload(**name, MultipartUpload=parts),
    }
    for kind, write in writes.items():
        calls.clear()
        write()
        assert (calls[0], calls.count("fsync"), calls[-1]) == ("fsync", 1, "replace"), kind  # the rest is the sidecar


SIGNED = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"

CHUNKS = [
    (65536, b"ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648"),
    (1024, b"0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497"),
    (0, b"b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9"),
]
BODY = b"".join(b"%x;chunk-signature=%s\r\n%s\r\n" % (size, signature, b"a" * size) for size, signature in CHUNKS)


TRAILED = [
    (65536, b"b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2"),
    (1024, b"1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7"),
]
TRAILED_BODY = (
    b"".join(b"%x;chunk-signature=%s\r\n%s\r\n" % (size, signature, b"a" * size) for size, signature in TRAILED)
    + b"0;chunk-signature=2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992\r\n"
    + b"x-amz-checksum-crc32c:sOO8/Q==\r\n"
    + b"x-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435\r\n\r\n"
)


def _decode(body: bytes, payload: str, step: int, trailer: str = "") -> tuple[bytes, dict[str, str]]:
    """The data of a body that arrives in pieces, and its checksums."""

    async def pieces() -> AsyncIterator[bytes]:
        for at in range(0, len(body), step):
            yield body[at : at + step]

    async def read() -> tuple[bytes, dict[str, str]]:
        received = Body(pieces(), {"x-amz-trailer": trailer}, payload)
        found = bytearray()
        async for data in received:
            received.update(data)
            found += data
        return bytes(found), received.finish()

    return asyncio.run(read())


def test_the_reference_s_bodies_are_accepted_however_they_arrive() -> None:
    steps = (7, 1000, 65536, 1 << 20)
    assert [step for step in steps if _decode(BODY, SIGNED, step)[0] != b"a" * 66560] == []
    body = b"5\r\nhello\r\n0\r\nx-amz-checksum-crc32:NhCmhg==\r\n\r\n"
    for step in (1, 5, 100):
        found = _decode(body, "STREAMING-UNSIGNED-PAYLOAD-TRAILER", step, "x-amz-checksum-crc32")
        assert found == (b"hello", {"x-amz-checksum-crc32": "NhCmhg=="}), step


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (BODY.replace(b"400;", b"3ff;", 1), "IncompleteBody"),
        (BODY[: -len(b"0;chunk-signature=\r\n\r\n") - 64], "IncompleteBody"),
        (BODY[:-100], "IncompleteBody"),
        (BODY + b"more", "IncompleteBody"),
        (b"no chunks at all\r\n", "IncompleteBody"),
        (b"a" * 20000, "IncompleteBody"),
    ],
)
def test_a_body_that_was_changed_is_rejected(body: bytes, error: str) -> None:
    with store_error(error):
        _decode(body, SIGNED, 4096)


def test_a_body_is_compared_with_the_checksum_behind_its_signed_chunks() -> None:
    name = "x-amz-checksum-crc32c"
    assert _decode(TRAILED_BODY, f"{SIGNED}-TRAILER", 1000, name) == (b"a" * 66560, {name: "sOO8/Q=="})
    with store_error("BadDigest"):
        _decode(TRAILED_BODY.replace(b"aaaa", b"aaab", 1), f"{SIGNED}-TRAILER", 1000, name)

"""Signatures, checksums and presigned URLs of the S3 dialect, on a real port."""

from __future__ import annotations

import errno
import hashlib
import os
import socket
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from tests.emulator.conftest import eventually
from tests.emulator.s3.conftest import ACCESS_KEY, SECRET_KEY, Storage, error_of, send, signed

from modelarts_emulator.s3.sigv4 import presigned_url


def test_a_body_that_is_not_the_announced_one_is_rejected_and_not_kept(s3: Any, bucket: str) -> None:
    for checksum in (
        {"ChecksumCRC32": "AAAAAA=="},
        {"ChecksumSHA256": "A" * 43 + "="},
        {"ContentMD5": "A" * 22 + "=="},
    ):
        assert error_of(s3.put_object, Bucket=bucket, Key="x", Body=b"hello", **checksum) == (400, "BadDigest")
    assert "Contents" not in s3.list_objects_v2(Bucket=bucket)


def test_a_body_other_than_the_signed_one_is_rejected(storage: Storage, bucket: str, http: httpx.Client) -> None:
    headers = signed(storage, "PUT", f"/{bucket}/x", "", hashlib.sha256(b"signed").hexdigest())

    response = http.put(f"{storage.endpoint}/{bucket}/x", content=b"forged", headers=headers)
    assert (response.status_code, "XAmzContentSHA256Mismatch" in response.text) == (400, True)
    assert http.put(f"{storage.endpoint}/{bucket}/x", content=b"signed", headers=headers).status_code == 200


@pytest.mark.parametrize(
    ("name", "value", "status", "said"),
    [
        ("content-md5", "\xe9", 400, "<Code>InvalidDigest</Code>"),
        ("x-amz-checksum-sha256", "\xe9", 400, "<Code>BadDigest</Code>"),
        ("x-amz-checksum-sha512", "x-amz-checksum-sha512", 501, "x-amz-checksum-sha512"),
        ("x-amz-trailer", "x-amz-checksum-sha512", 501, "x-amz-checksum-sha512"),
    ],
)
def test_a_checksum_that_cannot_be_verified_is_rejected(
    storage: Storage, bucket: str, http: httpx.Client, name: str, value: str, status: int, said: str
) -> None:
    """The client relies on it; one with a byte above 127 is not a checksum, and not a failure of the store."""
    found, text = send(storage, http, "PUT", f"/{bucket}/x", content=b"hello", more={name: value})

    assert (found, said in text) == (status, True)
    assert storage.store.list(bucket).objects == []


@pytest.mark.parametrize(
    ("checksum", "length", "expected"),
    [("NhCmhg==", "5", (200, "")), ("AAAAAA==", "5", (400, "BadDigest")), ("NhCmhg==", "6", (400, "IncompleteBody"))],
)
def test_a_checksum_may_follow_the_body(
    storage: Storage, bucket: str, http: httpx.Client, checksum: str, length: str, expected: tuple[int, str]
) -> None:
    more = {
        "content-encoding": "aws-chunked",
        "x-amz-decoded-content-length": length,
        "x-amz-trailer": "x-amz-checksum-crc32",
    }
    body = f"5\r\nhello\r\n0\r\nx-amz-checksum-crc32:{checksum}\r\n\r\n".encode()
    payload = "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
    status, text = send(storage, http, "PUT", f"/{bucket}/x", content=body, payload=payload, more=more)

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


def test_a_presigned_url_opens_an_object_for_its_time_and_with_its_headers(
    storage: Storage, bucket: str, http: httpx.Client
) -> None:
    storage.store.put(bucket, "log/a b.log", b"line")
    url = presigned_url(
        storage.endpoint, bucket, "log/a b.log", ACCESS_KEY, SECRET_KEY, 300, "text/plain; charset=utf-8", "attachment"
    )
    response = http.get(url)
    assert (response.status_code, response.text) == (200, "line")
    assert response.headers["content-type"] == "text/plain; charset=utf-8"
    assert response.headers["content-disposition"] == "attachment"

    assert http.get(url.replace("a%20b", "other")).status_code == 403
    assert http.delete(url).status_code == 403
    storage.skew = 301
    response = http.get(url)
    assert (response.status_code, "expired" in response.text) == (403, True)


@pytest.mark.parametrize("expires", [0, 604801])
def test_a_presigned_url_lives_a_week_at_most(expires: int) -> None:
    with pytest.raises(ValueError, match="604800"):
        presigned_url("http://h", "bucket", "key", "a", "s", expires)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (errno.ENOSPC, (403, "InsufficientStorageSpace")),
        (errno.EDQUOT, (403, "InsufficientStorageSpace")),
        (errno.EROFS, (403, "AccessDenied")),
        (errno.EMFILE, (503, "ServiceUnavailable")),
        (errno.EIO, (500, "InternalError")),
    ],
)
def test_a_client_learns_what_is_wrong_with_the_disk(
    storage: Storage, s3: Any, bucket: str, monkeypatch: pytest.MonkeyPatch, code: int, expected: tuple[int, str]
) -> None:
    """A failing disk has a code of its own for each cause, and the old object is still served."""
    s3.put_object(Bucket=bucket, Key="x", Body=b"old")

    def fail(_: int) -> None:
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        assert error_of(s3.put_object, Bucket=bucket, Key="x", Body=b"new") == expected
    assert s3.get_object(Bucket=bucket, Key="x")["Body"].read() == b"old"
    assert list((storage.store.root / ".drafts").iterdir()) == []


@pytest.mark.parametrize("act", ["put", "copy", "parts"])
def test_an_acknowledged_object_was_flushed_before_it_got_its_name(
    storage: Storage, s3: Any, bucket: str, monkeypatch: pytest.MonkeyPatch, act: str
) -> None:
    """A client gets its response only after the bytes were flushed, and they were flushed before the rename."""
    s3.put_object(Bucket=bucket, Key="source", Body=b"1")
    calls: list[str] = []

    def record(name: str) -> None:
        original = getattr(os, name)

        def call(*arguments: Any) -> Any:
            calls.append(name)
            return original(*arguments)

        monkeypatch.setattr(os, name, call)

    record("fsync")
    record("replace")
    if act == "put":
        s3.put_object(Bucket=bucket, Key="x", Body=b"1")
    elif act == "copy":
        s3.copy_object(Bucket=bucket, Key="x", CopySource=f"{bucket}/source")
    else:
        name = {"Bucket": bucket, "Key": "x"}
        name["UploadId"] = s3.create_multipart_upload(**name)["UploadId"]
        etag = s3.upload_part(**name, PartNumber=1, Body=b"1")["ETag"]
        calls.clear()
        s3.complete_multipart_upload(**name, MultipartUpload={"Parts": [{"PartNumber": 1, "ETag": etag}]})

    assert (calls[0], calls.count("fsync"), calls[-1]) == ("fsync", 1, "replace")  # the rest is the sidecar

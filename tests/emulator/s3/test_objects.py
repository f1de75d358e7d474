"""Calls on objects: copies, ranges, parts, attributes and conditions, on a real port."""

from __future__ import annotations

import datetime
from email.utils import formatdate
from typing import Any

import httpx
import pytest
from botocore.exceptions import ClientError
from tests.emulator.s3.conftest import Storage, signed

from modelarts_emulator.s3 import sigv4


def _error_of(act: Any, **arguments: Any) -> tuple[int, str]:
    with pytest.raises(ClientError) as caught:
        act(**arguments)
    response = caught.value.response
    return response["ResponseMetadata"]["HTTPStatusCode"], response["Error"]["Code"]


def test_a_copy_to_itself_has_to_change_something(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="x", Body=b"1")
    copy = {"Bucket": bucket, "Key": "x", "CopySource": f"{bucket}/x"}

    assert _error_of(s3.copy_object, **copy) == (400, "InvalidRequest")
    s3.copy_object(**copy, MetadataDirective="REPLACE", Metadata={"b": "2"})
    s3.copy_object(**copy, StorageClass="STANDARD")  # also one that the object has
    assert s3.head_object(Bucket=bucket, Key="x")["Metadata"] == {"b": "2"}


def test_a_copy_keeps_or_replaces_what_is_said_of_the_object(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="a", Body=b"1", ContentType="x/y", Metadata={"a": "1"})
    s3.copy_object(Bucket=bucket, Key="kept", CopySource=f"{bucket}/a")
    s3.copy_object(Bucket=bucket, Key="new", CopySource=f"{bucket}/a", MetadataDirective="REPLACE", Metadata={"b": "2"})

    assert s3.head_object(Bucket=bucket, Key="kept")["Metadata"] == {"a": "1"}
    assert s3.head_object(Bucket=bucket, Key="new")["Metadata"] == {"b": "2"}


@pytest.mark.parametrize(
    ("wanted", "expected", "content_range"),
    [
        ("bytes=2-4", b"234", "bytes 2-4/10"),
        ("bytes=7-", b"789", "bytes 7-9/10"),
        ("bytes=-2", b"89", "bytes 8-9/10"),
        ("bytes=8-99", b"89", "bytes 8-9/10"),
        ("bytes=-99", b"0123456789", "bytes 0-9/10"),
    ],
)
def test_ranges_get_a_partial_response(s3: Any, bucket: str, wanted: str, expected: bytes, content_range: str) -> None:
    s3.put_object(Bucket=bucket, Key="x", Body=b"0123456789")
    got = s3.get_object(Bucket=bucket, Key="x", Range=wanted)

    assert (got["Body"].read(), got["ContentRange"]) == (expected, content_range)


def test_a_range_is_one_of_the_object_that_the_client_has_the_rest_of(
    storage: Storage, bucket: str, http: httpx.Client
) -> None:
    """Else all is sent, so that a download that goes on does not mix two objects."""
    info = storage.store.put(bucket, "x", b"0123456789")
    headers = signed(storage, "GET", f"/{bucket}/x", "", sigv4.UNSIGNED) | {"range": "bytes=5-"}
    dates = [formatdate(int(info.modified) + later, usegmt=True) for later in (0, 1)]

    got = [
        http.get(f"{storage.endpoint}/{bucket}/x", headers=headers | {"if-range": value}).content
        for value in (f'"{info.etag}"', dates[0], '"other"', f'W/"{info.etag}"', dates[1])
    ]

    assert got == [b"56789", b"56789", b"0123456789", b"0123456789", b"0123456789"]


def test_a_range_that_no_object_can_have_is_ignored(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="x", Body=b"0123456789")
    got = s3.get_object(Bucket=bucket, Key="x", Range=f"bytes=0-{'9' * 5000}")

    assert (got["Body"].read(), got["ResponseMetadata"]["HTTPStatusCode"]) == (b"0123456789", 200)


def test_a_range_beyond_the_object_is_rejected(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="x", Body=b"0123456789")

    assert _error_of(s3.get_object, Bucket=bucket, Key="x", Range="bytes=10-") == (416, "InvalidRange")


def test_an_object_is_one_part(s3: Any, bucket: str) -> None:
    """As an object that was uploaded in one part, also if it was not: parts are not remembered."""
    s3.put_object(Bucket=bucket, Key="x", Body=b"0123456789")
    s3.put_object(Bucket=bucket, Key="empty", Body=b"")

    got = s3.get_object(Bucket=bucket, Key="x", PartNumber=1)
    head = s3.head_object(Bucket=bucket, Key="x", PartNumber=1)

    assert (got["Body"].read(), got["ContentRange"]) == (b"0123456789", "bytes 0-9/10")
    assert (got["ResponseMetadata"]["HTTPStatusCode"], head["ContentLength"], "PartsCount" in head) == (206, 10, False)
    assert s3.get_object(Bucket=bucket, Key="empty", PartNumber=1)["Body"].read() == b""
    assert _error_of(s3.get_object, Bucket=bucket, Key="x", PartNumber=2) == (416, "InvalidPartNumber")
    assert _error_of(s3.get_object, Bucket=bucket, Key="x", PartNumber=1, Range="bytes=0-1") == (400, "InvalidArgument")


def test_attributes_are_those_that_are_asked_for(s3: Any, bucket: str) -> None:
    """An object has no parts to list."""
    put = s3.put_object(Bucket=bucket, Key="x", Body=b"hello", ChecksumAlgorithm="SHA256")
    wanted = ["ETag", "Checksum", "ObjectParts", "StorageClass", "ObjectSize"]

    found = s3.get_object_attributes(Bucket=bucket, Key="x", ObjectAttributes=wanted)
    size = s3.get_object_attributes(Bucket=bucket, Key="x", ObjectAttributes=["ObjectSize"])

    assert (f'"{found["ETag"]}"', found["ObjectSize"], found["StorageClass"]) == (put["ETag"], 5, "STANDARD")
    assert found["Checksum"] == {"ChecksumSHA256": put["ChecksumSHA256"], "ChecksumType": "FULL_OBJECT"}
    assert found["LastModified"] == s3.head_object(Bucket=bucket, Key="x")["LastModified"]
    assert (size["ObjectSize"], "ETag" in size, "ObjectParts" in found) == (5, False, False)
    assert _error_of(s3.get_object_attributes, Bucket=bucket, Key="x", ObjectAttributes=["Size"])[0] == 400
    assert _error_of(s3.get_object_attributes, Bucket=bucket, Key="y", ObjectAttributes=["ETag"]) == (404, "NoSuchKey")


def test_conditions_are_kept(s3: Any, bucket: str) -> None:
    etag = s3.put_object(Bucket=bucket, Key="x", Body=b"1")["ETag"]
    later = datetime.datetime.now(datetime.UTC) + datetime.timedelta(minutes=1)

    assert _error_of(s3.get_object, Bucket=bucket, Key="x", IfMatch='"other"')[0] == 412
    assert _error_of(s3.get_object, Bucket=bucket, Key="x", IfNoneMatch=etag)[0] == 304
    assert _error_of(s3.get_object, Bucket=bucket, Key="x", IfModifiedSince=later)[0] == 304
    assert _error_of(s3.put_object, Bucket=bucket, Key="x", Body=b"2", IfNoneMatch="*") == (412, "PreconditionFailed")
    assert _error_of(s3.put_object, Bucket=bucket, Key="x", Body=b"2", IfMatch='"other"') == (412, "PreconditionFailed")
    newest = s3.put_object(Bucket=bucket, Key="x", Body=b"2", IfMatch=etag)["ETag"]
    assert newest != etag
    assert _error_of(s3.put_object, Bucket=bucket, Key="y", Body=b"2", IfMatch=etag) == (404, "NoSuchKey")
    assert _error_of(s3.delete_object, Bucket=bucket, Key="x", IfMatch=etag) == (412, "PreconditionFailed")
    many = {"Objects": [{"Key": "x", "ETag": etag}]}
    [error] = s3.delete_objects(Bucket=bucket, Delete=many)["Errors"]
    assert (error["Key"], error["Code"]) == ("x", "PreconditionFailed")
    many = {"Objects": [{"Key": "x", "Size": 1}]}
    assert _error_of(s3.delete_objects, Bucket=bucket, Delete=many) == (501, "NotImplemented")
    assert s3.get_object(Bucket=bucket, Key="x")["ETag"] == newest
    assert _error_of(s3.delete_object, Bucket=bucket, Key="x", IfMatch='"*"') == (412, "PreconditionFailed")
    s3.delete_object(Bucket=bucket, Key="x", IfMatch=newest)
    assert _error_of(s3.delete_object, Bucket=bucket, Key="x", IfMatch="*") == (404, "NoSuchKey")


def test_nothing_is_deleted_under_a_condition_that_deletions_do_not_have(
    storage: Storage, bucket: str, http: httpx.Client
) -> None:
    storage.store.put(bucket, "x", b"1")
    headers = signed(storage, "DELETE", f"/{bucket}/x", "", sigv4.UNSIGNED) | {"if-none-match": "*"}
    got = http.delete(f"{storage.endpoint}/{bucket}/x", headers=headers)

    assert (got.status_code, storage.store.read(bucket, "x")) == (501, b"1")


def test_an_object_that_was_not_modified_after_the_date_is_not_sent_again(s3: Any, bucket: str) -> None:
    """Last-Modified itself is such a date."""
    s3.put_object(Bucket=bucket, Key="x", Body=b"1")
    modified = s3.head_object(Bucket=bucket, Key="x")["LastModified"]
    second = datetime.timedelta(seconds=1)

    for since in (modified, modified + second):
        assert _error_of(s3.get_object, Bucket=bucket, Key="x", IfModifiedSince=since) == (304, "304")
    assert s3.get_object(Bucket=bucket, Key="x", IfModifiedSince=modified - second)["Body"].read() == b"1"

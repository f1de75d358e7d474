"""Calls on objects: copies, ranges, parts, attributes and conditions, on a real port."""

from __future__ import annotations

import datetime
from typing import Any

import httpx
import pytest
from botocore.exceptions import ClientError
from tests.emulator.s3.conftest import Storage, error_of, send


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


def test_an_object_is_one_part(s3: Any, bucket: str) -> None:
    """As an object that was uploaded in one part, also if it was not: parts are not remembered."""
    s3.put_object(Bucket=bucket, Key="x", Body=b"0123456789")
    s3.put_object(Bucket=bucket, Key="empty", Body=b"")

    got = s3.get_object(Bucket=bucket, Key="x", PartNumber=1)
    head = s3.head_object(Bucket=bucket, Key="x", PartNumber=1)

    assert (got["Body"].read(), got["ContentRange"]) == (b"0123456789", "bytes 0-9/10")
    assert (got["ResponseMetadata"]["HTTPStatusCode"], head["ContentLength"], "PartsCount" in head) == (206, 10, False)
    assert s3.get_object(Bucket=bucket, Key="empty", PartNumber=1)["Body"].read() == b""
    assert error_of(s3.get_object, Bucket=bucket, Key="x", PartNumber=2) == (416, "InvalidPartNumber")
    assert error_of(s3.get_object, Bucket=bucket, Key="x", PartNumber=1, Range="bytes=0-1") == (400, "InvalidArgument")


def test_conditions_are_kept(s3: Any, bucket: str) -> None:
    etag = s3.put_object(Bucket=bucket, Key="x", Body=b"1")["ETag"]
    later = datetime.datetime.now(datetime.UTC) + datetime.timedelta(minutes=1)

    assert error_of(s3.get_object, Bucket=bucket, Key="x", IfMatch='"other"')[0] == 412
    assert error_of(s3.get_object, Bucket=bucket, Key="x", IfNoneMatch=etag)[0] == 304
    assert error_of(s3.get_object, Bucket=bucket, Key="x", IfModifiedSince=later)[0] == 304
    assert error_of(s3.put_object, Bucket=bucket, Key="x", Body=b"2", IfNoneMatch="*") == (412, "PreconditionFailed")
    assert error_of(s3.put_object, Bucket=bucket, Key="x", Body=b"2", IfMatch='"other"') == (412, "PreconditionFailed")
    newest = s3.put_object(Bucket=bucket, Key="x", Body=b"2", IfMatch=etag)["ETag"]
    assert newest != etag
    for unknown in (etag, "*"):
        assert error_of(s3.put_object, Bucket=bucket, Key="y", Body=b"2", IfMatch=unknown) == (404, "NoSuchKey")
    assert error_of(s3.delete_object, Bucket=bucket, Key="x", IfMatch=etag) == (412, "PreconditionFailed")
    many = {"Objects": [{"Key": "x", "ETag": etag}]}
    [error] = s3.delete_objects(Bucket=bucket, Delete=many)["Errors"]
    assert (error["Key"], error["Code"]) == ("x", "PreconditionFailed")
    many = {"Objects": [{"Key": "x", "Size": 1}]}
    assert error_of(s3.delete_objects, Bucket=bucket, Delete=many) == (501, "NotImplemented")
    assert s3.get_object(Bucket=bucket, Key="x")["ETag"] == newest
    assert error_of(s3.delete_object, Bucket=bucket, Key="x", IfMatch='"*"') == (412, "PreconditionFailed")
    s3.delete_object(Bucket=bucket, Key="x", IfMatch=newest)
    for unknown in (newest, "*"):
        assert error_of(s3.delete_object, Bucket=bucket, Key="x", IfMatch=unknown) == (404, "NoSuchKey")
    s3.put_object(Bucket=bucket, Key="x", Body=b"3", IfNoneMatch="*")
    s3.put_object(Bucket=bucket, Key="x", Body=b"4", IfMatch="*")
    assert s3.get_object(Bucket=bucket, Key="x")["Body"].read() == b"4"
    s3.delete_object(Bucket=bucket, Key="x", IfMatch="*")
    assert "Contents" not in s3.list_objects_v2(Bucket=bucket)


def test_nothing_is_deleted_under_a_condition_that_deletions_do_not_have(
    storage: Storage, bucket: str, http: httpx.Client
) -> None:
    storage.store.put(bucket, "x", b"1")
    status, _ = send(storage, http, "DELETE", f"/{bucket}/x", more={"if-none-match": "*"})

    assert (status, storage.store.read(bucket, "x")) == (501, b"1")


def test_an_object_that_was_not_modified_after_the_date_is_not_sent_again(s3: Any, bucket: str) -> None:
    """Last-Modified itself is such a date."""
    s3.put_object(Bucket=bucket, Key="x", Body=b"1")
    modified = s3.head_object(Bucket=bucket, Key="x")["LastModified"]
    second = datetime.timedelta(seconds=1)

    for since in (modified, modified + second):
        assert error_of(s3.get_object, Bucket=bucket, Key="x", IfModifiedSince=since) == (304, "304")
    assert s3.get_object(Bucket=bucket, Key="x", IfModifiedSince=modified - second)["Body"].read() == b"1"


BEFORE, AT, AFTER = -1, 0, 1
"""Times of a condition, in seconds from the whole second in which the source was modified."""


@pytest.mark.parametrize("of_part", [False, True])
@pytest.mark.parametrize(
    ("conditions", "is_copied"),
    [
        ({"IfModifiedSince": BEFORE}, True),
        ({"IfModifiedSince": AT}, False),
        ({"IfModifiedSince": AFTER}, False),
        ({"IfUnmodifiedSince": BEFORE}, False),
        ({"IfUnmodifiedSince": AT}, True),
        ({"IfUnmodifiedSince": AFTER}, True),
        ({"IfMatch": "own", "IfUnmodifiedSince": BEFORE}, True),
        ({"IfMatch": "other", "IfUnmodifiedSince": AFTER}, False),
        ({"IfNoneMatch": "own", "IfModifiedSince": BEFORE}, False),
        ({"IfNoneMatch": "other", "IfModifiedSince": AFTER}, True),
    ],
)
def test_a_copy_is_made_only_under_its_conditions(
    storage: Storage, bucket: str, s3: Any, conditions: dict[str, Any], is_copied: bool, of_part: bool
) -> None:
    """A time is compared by whole seconds; a condition on the ETag takes precedence over it."""
    info = storage.store.put(bucket, "from", b"1")
    modified = datetime.datetime.fromtimestamp(int(info.modified), datetime.UTC)
    values = {
        f"CopySource{name}": {"own": info.etag, "other": "0" * 32}.get(value, value)
        if isinstance(value, str)
        else modified + datetime.timedelta(seconds=value)
        for name, value in conditions.items()
    }
    to: dict[str, Any] = {"Bucket": bucket, "Key": "to", "CopySource": f"{bucket}/from"}
    copy = s3.copy_object
    if of_part:
        upload = s3.create_multipart_upload(Bucket=bucket, Key="to")
        copy, to = s3.upload_part_copy, {**to, "UploadId": upload["UploadId"], "PartNumber": 1}

    if is_copied:
        copy(**to, **values)
    else:
        with pytest.raises(ClientError, match="PreconditionFailed"):
            copy(**to, **values)
    if not of_part:
        assert [entry.key for entry in storage.store.list(bucket).objects] == ["from", *["to"] * is_copied]


@pytest.mark.parametrize("name", ["modified", "unmodified"])
def test_a_copy_with_an_invalid_time_in_its_condition_is_rejected(
    storage: Storage, bucket: str, http: httpx.Client, name: str
) -> None:
    """The copy must not be made as if there were no condition."""
    storage.store.put(bucket, "from", b"1")
    more = {"x-amz-copy-source": f"/{bucket}/from", f"x-amz-copy-source-if-{name}-since": "yesterday"}
    status, text = send(storage, http, "PUT", f"/{bucket}/to", more=more)

    assert (status, "<Code>InvalidArgument</Code>" in text) == (400, True)
    assert [info.key for info in storage.store.list(bucket).objects] == ["from"]

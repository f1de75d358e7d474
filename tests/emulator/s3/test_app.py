"""The S3-compatible dialect, as boto3, obstore and a browser speak it, on a real port."""

from __future__ import annotations

import io
import os
from typing import Any
from xml.etree import ElementTree

import httpx
import pytest
from botocore.exceptions import ClientError
from tests.emulator.s3.conftest import Storage, error_of, send

ODD_KEYS = [
    "a b/ü+~%.txt",
    "quotes'\"&<>",
    "tab\there",
    "line\nfeed",
    "carriage\rreturn\r\n",
    *(NOT_IN_XML := ("control\x01\x1f\x7f", "\ufffe")),
    "d/" * 511 + "f",
    "🙂/x",
    "plus+plus",
    "per%20cent",
    "question?mark#hash",
    ".hidden",
]


@pytest.mark.parametrize("key", ODD_KEYS)
def test_boto3_keeps_any_key_with_its_bytes_type_and_metadata(s3: Any, bucket: str, key: str) -> None:
    content = os.urandom(1000)
    s3.put_object(
        Bucket=bucket, Key=key, Body=content, ContentType="x/y", Metadata={"who": "me"}, CacheControl="no-store"
    )
    got = s3.get_object(Bucket=bucket, Key=key)

    assert got["Body"].read() == content
    assert (got["ContentType"], got["Metadata"], got["CacheControl"]) == ("x/y", {"who": "me"}, "no-store")
    assert [entry["Key"] for entry in s3.list_objects_v2(Bucket=bucket)["Contents"]] == [key]
    assert [entry["Key"] for entry in s3.list_objects(Bucket=bucket)["Contents"]] == [key]
    if key in NOT_IN_XML:
        s3.delete_object(Bucket=bucket, Key=key)
    else:
        assert s3.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": key}]})["Deleted"] == [{"Key": key}]
    assert "Contents" not in s3.list_objects_v2(Bucket=bucket)


@pytest.mark.parametrize("key", ["a//b", "/a", "../a", "a/./b", "x" * 256, "file/below", "a/"])
def test_a_key_that_cannot_be_a_path_is_rejected_with_a_sentence(s3: Any, bucket: str, key: str) -> None:
    """Also one that continues the key of another object, or that is a directory and has content."""
    s3.put_object(Bucket=bucket, Key="file")
    with pytest.raises(ClientError, match=r"key '.*' (cannot be a path|continues the key|ends in '/')") as caught:
        s3.put_object(Bucket=bucket, Key=key, Body=b"1")

    assert caught.value.response["Error"]["Code"] == "InvalidArgument"
    assert s3.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": key}]})["Deleted"] == [{"Key": key}]
    assert [entry["Key"] for entry in s3.list_objects_v2(Bucket=bucket)["Contents"]] == ["file"]


def test_a_listing_without_encoding_is_well_formed_whatever_the_keys_are(
    storage: Storage, bucket: str, http: httpx.Client
) -> None:
    """Characters that XML 1.0 cannot hold are listed as U+FFFD, a carriage return stays one."""
    storage.store.put(bucket, "a\x01b\rc", b"")
    _, text = send(storage, http, "GET", f"/{bucket}")

    keys = ElementTree.fromstring(text).iter("{http://s3.amazonaws.com/doc/2006-03-01/}Key")
    assert [key.text for key in keys] == ["a\ufffdb\rc"]


def test_boto3_moves_large_files_in_parts(s3: Any, bucket: str) -> None:
    content = os.urandom(18_000_000)
    s3.upload_fileobj(io.BytesIO(content), bucket, "big", ExtraArgs={"Metadata": {"parts": "3"}})
    got = io.BytesIO()
    s3.download_fileobj(bucket, "big", got)
    s3.copy({"Bucket": bucket, "Key": "big"}, bucket, "copy")

    assert got.getvalue() == content
    assert s3.head_object(Bucket=bucket, Key="big")["Metadata"] == {"parts": "3"}
    assert s3.get_object(Bucket=bucket, Key="copy")["Body"].read() == content


def test_boto3_pages_through_a_listing(s3: Any, storage: Storage, bucket: str) -> None:
    keys = [f"{folder}/{number:02d}" for folder in "abc" for number in range(10)]
    for key in keys:
        storage.store.put(bucket, key, b"")
    for operation in ("list_objects", "list_objects_v2"):
        pages = s3.get_paginator(operation).paginate(Bucket=bucket, PaginationConfig={"PageSize": 7})
        assert [entry["Key"] for page in pages for entry in page["Contents"]] == keys
        grouped = s3.get_paginator(operation).paginate(Bucket=bucket, Delimiter="/", PaginationConfig={"PageSize": 1})
        prefixes = [entry["Prefix"] for page in grouped for entry in page["CommonPrefixes"]]
        assert prefixes == ["a/", "b/", "c/"]


@pytest.mark.parametrize(
    ("call", "arguments", "expected"),
    [
        ("get_object", {"Key": "none"}, (404, "NoSuchKey")),
        ("head_object", {"Key": "none"}, (404, "404")),
        ("get_object", {"Bucket": "no-such-bucket", "Key": "x"}, (404, "NoSuchBucket")),
        ("put_object", {"Bucket": "no-such-bucket", "Key": "x"}, (404, "NoSuchBucket")),
        ("list_objects_v2", {"Bucket": "no-such-bucket"}, (404, "NoSuchBucket")),
        ("put_object", {"Key": "x" * 1025}, (400, "InvalidArgument")),
        ("get_object", {"Key": "x", "VersionId": "1"}, (404, "NoSuchVersion")),
        ("put_object", {"Key": "x", "ACL": "public-read"}, (501, "NotImplemented")),
        ("put_object", {"Key": "x", "Tagging": "a=b"}, (501, "NotImplemented")),
        ("put_object", {"Key": "x", "StorageClass": "GLACIER"}, (501, "NotImplemented")),
        ("put_object", {"Key": "x", "ServerSideEncryption": "AES256"}, (501, "NotImplemented")),
        ("delete_object", {"Key": "x", "ExpectedBucketOwner": "d0"}, (501, "NotImplemented")),
        ("get_object_tagging", {"Key": "none"}, (404, "NoSuchKey")),
        ("get_bucket_versioning", {"Bucket": "no-such-bucket"}, (404, "NoSuchBucket")),
        ("get_bucket_policy", {}, (404, "NoSuchBucketPolicy")),
        ("put_bucket_versioning", {"VersioningConfiguration": {"Status": "Enabled"}}, (501, "NotImplemented")),
        ("put_bucket_acl", {"ACL": "public-read"}, (501, "NotImplemented")),
        ("get_bucket_metrics_configuration", {"Id": "1"}, (501, "NotImplemented")),
        ("list_parts", {"Key": "x", "UploadId": "0" * 32}, (404, "NoSuchUpload")),
        ("list_parts", {"Key": "x", "UploadId": "../../etc"}, (404, "NoSuchUpload")),
        ("create_bucket", {"Bucket": "192.168.1.1"}, (400, "InvalidBucketName")),
        ("list_objects_v2", {"ContinuationToken": "%%%"}, (400, "InvalidArgument")),
        ("list_objects_v2", {"MaxKeys": -1}, (400, "InvalidArgument")),
        ("copy_object", {"Key": "y", "CopySource": {"Bucket": "no-such-bucket", "Key": "x"}}, (404, "NoSuchBucket")),
        ("put_object", {"Key": "x", "Metadata": {"a": "x" * 8192}}, (400, "MetadataTooLarge")),
        ("put_object", {"Key": "x", "ContentMD5": "x"}, (400, "InvalidDigest")),
    ],
)
def test_errors_have_the_documented_code(
    s3: Any, bucket: str, call: str, arguments: dict[str, Any], expected: tuple[int, str]
) -> None:
    assert error_of(getattr(s3, call), **({"Bucket": bucket} | arguments)) == expected


def test_multi_part_uploads_are_listed_completed_in_order_and_aborted(s3: Any, bucket: str) -> None:
    upload = s3.create_multipart_upload(Bucket=bucket, Key="x")["UploadId"]
    name = {"Bucket": bucket, "Key": "x", "UploadId": upload}
    parts = [
        {"PartNumber": number, "ETag": s3.upload_part(**name, PartNumber=number, Body=body)["ETag"]}
        for number, body in ((2, b"s" * 102_399), (5, b"b" * 102_400), (7, b"c"))
    ]
    assert [part["Size"] for part in s3.list_parts(**name)["Parts"]] == [102_399, 102_400, 1]
    assert [entry["Key"] for entry in s3.list_multipart_uploads(Bucket=bucket)["Uploads"]] == ["x"]

    complete = s3.complete_multipart_upload
    assert error_of(complete, **name, MultipartUpload={"Parts": parts}) == (400, "EntityTooSmall")
    assert error_of(complete, **name, MultipartUpload={"Parts": parts[:0:-1]}) == (400, "InvalidPartOrder")
    wrong = [{"PartNumber": 5, "ETag": parts[0]["ETag"]}]
    assert error_of(complete, **name, MultipartUpload={"Parts": wrong}) == (400, "InvalidPart")
    assert "Contents" not in s3.list_objects_v2(Bucket=bucket)
    complete(**name, MultipartUpload={"Parts": parts[1:]})
    assert s3.get_object(Bucket=bucket, Key="x")["Body"].read() == b"b" * 102_400 + b"c"

    assert error_of(s3.abort_multipart_upload, **name) == (404, "NoSuchUpload")
    other = s3.create_multipart_upload(Bucket=bucket, Key="y")["UploadId"]
    s3.abort_multipart_upload(Bucket=bucket, Key="y", UploadId=other)
    assert "Uploads" not in s3.list_multipart_uploads(Bucket=bucket)


def test_conditions_hold_for_uploads_in_parts_too(s3: Any, bucket: str) -> None:
    """An upload in parts is completed only if the object is in the state that the request demands."""
    s3.put_object(Bucket=bucket, Key="x", Body=b"old")
    name = {"Bucket": bucket, "Key": "x", "UploadId": s3.create_multipart_upload(Bucket=bucket, Key="x")["UploadId"]}
    part = {"PartNumber": 1, "ETag": s3.upload_part(**name, PartNumber=1, Body=b"new")["ETag"]}
    upload = {"MultipartUpload": {"Parts": [part]}}

    assert error_of(s3.complete_multipart_upload, **name, **upload, IfNoneMatch="*") == (412, "PreconditionFailed")
    assert s3.get_object(Bucket=bucket, Key="x")["Body"].read() == b"old"
    s3.complete_multipart_upload(**name, **upload, IfMatch=s3.head_object(Bucket=bucket, Key="x")["ETag"])
    assert s3.get_object(Bucket=bucket, Key="x")["Body"].read() == b"new"


@pytest.mark.parametrize("location", ["a\nb", "ü", "x" * 101])
def test_a_location_that_no_header_can_carry_is_rejected(storage: Storage, http: httpx.Client, location: str) -> None:
    """HEAD of a bucket returns its location as a header, so it is checked when the bucket is made."""
    body = f"<CreateBucketConfiguration><LocationConstraint>{location}</LocationConstraint></CreateBucketConfiguration>"
    status, text = send(storage, http, "PUT", "/odd-location", content=body.encode())

    assert (status, "InvalidLocationConstraint" in text) == (400, True)


def test_deleting_many_reports_what_could_not_be_deleted(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="x")
    objects = {"Objects": [{"Key": "x"}, {"Key": "none"}, {"Key": "y" * 1025}]}
    response = s3.delete_objects(Bucket=bucket, Delete=objects)

    assert [entry["Key"] for entry in response["Deleted"]] == ["x", "none"]
    assert [(entry["Key"], entry["Code"]) for entry in response["Errors"]] == [("y" * 1025, "InvalidArgument")]


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"no xml", b"<Other/>", b"<Delete></Delete>", b"<!DOCTYPE x><Delete/>"),
        "<!DOCTYPE x><Delete/>".encode("utf-16"),
        *(
            b'<?xml version="1.0" encoding="%s"?><Delete/>' % name
            for name in (b"foo", b"shift_jis", b"utf-7", b"base64", b"idna", b"undefined", b"rot13", b"hex")
        ),
    ],
)
def test_malformed_documents_are_rejected(storage: Storage, bucket: str, http: httpx.Client, body: bytes) -> None:
    status, text = send(storage, http, "POST", f"/{bucket}", "delete=", content=body)

    assert (status, "<Code>MalformedXML</Code>" in text) == (400, True)


def test_common_prefixes_come_behind_the_marker_as_keys_do(s3: Any, bucket: str) -> None:
    for key in ("a/b", "a/c", "d/e"):
        s3.put_object(Bucket=bucket, Key=key, Body=b"")

    pages = [
        s3.list_objects_v2(Bucket=bucket, Delimiter="/", StartAfter="a/b"),
        s3.list_objects(Bucket=bucket, Delimiter="/", Marker="a/b"),
        s3.list_object_versions(Bucket=bucket, Delimiter="/", KeyMarker="a/b"),
        s3.list_objects_v2(Bucket=bucket, Delimiter="/", StartAfter="a"),
    ]

    found = [[entry["Prefix"] for entry in page["CommonPrefixes"]] for page in pages]
    assert found == [["d/"], ["d/"], ["d/"], ["a/", "d/"]]


@pytest.mark.parametrize(
    ("method", "path", "query"),
    [
        ("DELETE", "", "metadataConfiguration="),
        ("DELETE", "", "bucketStatus="),
        ("PUT", "/x", "renameObject="),
        ("DELETE", "/x", "annotation="),
    ],
)
def test_a_call_about_something_unknown_changes_neither_the_bucket_nor_the_object(
    storage: Storage, http: httpx.Client, method: str, path: str, query: str
) -> None:
    """What a sub-resource is about is not what it belongs to."""
    bucket = f"named-{next(storage.numbers)}"
    storage.store.create_bucket(bucket)
    if path:
        storage.store.put(bucket, "x", b"old")

    status, text = send(storage, http, method, f"/{bucket}{path}", query)

    assert (status, query.strip("=") in text) == (501, True)
    assert not path or storage.store.read(bucket, "x") == b"old"
    assert storage.store.has_bucket(bucket)

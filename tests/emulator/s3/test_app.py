"""The S3-compatible dialect, as boto3, obstore and a browser speak it, on a real port."""

from __future__ import annotations

import base64
import hashlib
import http.client as http_client
import os
from collections.abc import Iterator
from email.utils import formatdate
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from xml.etree import ElementTree

import httpx
import pytest
from anycrc import Model
from tests.emulator.s3.conftest import Storage, error_of, key_pair, send, serving, signed

from modelarts_emulator.http.signatures import Request
from modelarts_emulator.s3 import sigv2, sigv4
from modelarts_emulator.s3.app import create_app
from modelarts_emulator.settings.accounts import Identity
from modelarts_emulator.storage.protocol import Store

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


def test_a_listing_without_encoding_is_well_formed_whatever_the_keys_are(storage: Storage, bucket: str) -> None:
    """Characters that XML 1.0 cannot hold are listed as U+FFFD, a carriage return stays one."""
    storage.store.put(bucket, "a\x01b\rc", b"")
    _, text = send(storage, "GET", f"/{bucket}")

    keys = ElementTree.fromstring(text).iter("{http://s3.amazonaws.com/doc/2006-03-01/}Key")
    assert [key.text for key in keys] == ["a\ufffdb\rc"]


def test_errors_have_the_documented_code(storage: Storage, s3: Any, bucket: str) -> None:
    cases: list[tuple[str, dict[str, Any], tuple[int, str]]] = [
        ("get_object", {"Key": "none"}, (404, "NoSuchKey")),
        ("head_object", {"Key": "none"}, (404, "404")),
        ("get_object", {"Bucket": "no-such-bucket", "Key": "x"}, (404, "NoSuchBucket")),
        ("put_object", {"Bucket": "no-such-bucket", "Key": "x"}, (404, "NoSuchBucket")),
        ("list_objects_v2", {"Bucket": "no-such-bucket"}, (404, "NoSuchBucket")),
        ("put_object", {"Key": "x" * 1025}, (400, "InvalidArgument")),
        ("put_object", {"Key": "a//b"}, (400, "InvalidArgument")),
        ("put_object", {"Key": "a/", "Body": b"1"}, (400, "InvalidArgument")),
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
    ]
    for call, arguments, expected in cases:
        assert error_of(getattr(s3, call), **({"Bucket": bucket} | arguments)) == expected, (call, arguments)
    assert send(storage, "GET", f"/{bucket}", "max-keys=%C2%B2")[0] == 400  # a superscript 2 is a digit to Python


def test_what_the_store_lacks_looks_unused(s3: Any, bucket: str) -> None:
    """Tools ask for it before they do what they were told to."""
    s3.put_object(Bucket=bucket, Key="plain", Body=b"")

    assert "Status" not in s3.get_bucket_versioning(Bucket=bucket)
    found = [s3.get_bucket_acl(Bucket=bucket), s3.get_object_acl(Bucket=bucket, Key="plain")]
    assert [answer["Grants"][0]["Permission"] for answer in found] == ["FULL_CONTROL", "FULL_CONTROL"]
    assert s3.get_object_tagging(Bucket=bucket, Key="plain")["TagSet"] == []
    assert error_of(s3.get_bucket_tagging, Bucket=bucket) == (404, "NoSuchTagSet")
    assert error_of(s3.get_bucket_cors, Bucket=bucket) == (404, "NoSuchCORSConfiguration")
    assert error_of(s3.get_bucket_lifecycle_configuration, Bucket=bucket) == (404, "NoSuchLifecycleConfiguration")


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


def test_deleting_many_reports_what_could_not_be_deleted(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="x")
    objects = {"Objects": [{"Key": "x"}, {"Key": "none"}, {"Key": "y" * 1025}]}
    response = s3.delete_objects(Bucket=bucket, Delete=objects)

    assert [entry["Key"] for entry in response["Deleted"]] == ["x", "none"]
    assert [(entry["Key"], entry["Code"]) for entry in response["Errors"]] == [("y" * 1025, "InvalidArgument")]


def test_malformed_documents_are_rejected(storage: Storage, bucket: str) -> None:
    """Also a location that no header can carry: HEAD of a bucket returns it as one."""
    encodings = (b"foo", b"shift_jis", b"utf-7", b"base64", b"idna", b"undefined", b"rot13", b"hex")
    bodies = [b"", b"no xml", b"<Other/>", b"<Delete></Delete>", b"<!DOCTYPE x><Delete/>"]
    bodies += ["<!DOCTYPE x><Delete/>".encode("utf-16")]
    bodies += [b'<?xml version="1.0" encoding="%s"?><Delete/>' % name for name in encodings]
    for body in bodies:
        status, text = send(storage, "POST", f"/{bucket}", "delete=", content=body)
        assert (status, "<Code>MalformedXML</Code>" in text) == (400, True), body

    for location in ("a\nb", "ü", "x" * 101):
        constraint = f"<LocationConstraint>{location}</LocationConstraint>"
        document = f"<CreateBucketConfiguration>{constraint}</CreateBucketConfiguration>"
        status, text = send(storage, "PUT", "/odd-location", content=document.encode())
        assert (status, "InvalidLocationConstraint" in text) == (400, True), location


def test_common_prefixes_come_behind_the_marker_as_keys_do(s3: Any, bucket: str) -> None:
    for key in ("a/b", "a/c", "d/e"):
        s3.put_object(Bucket=bucket, Key=key, Body=b"")

    pages = [
        s3.list_objects_v2(Bucket=bucket, Delimiter="/", StartAfter="a/b"),
        s3.list_objects(Bucket=bucket, Delimiter="/", Marker="a/b"),
        s3.list_objects_v2(Bucket=bucket, Delimiter="/", StartAfter="a"),
    ]

    found = [[entry["Prefix"] for entry in page["CommonPrefixes"]] for page in pages]
    assert found == [["d/"], ["d/"], ["a/", "d/"]]


def test_a_call_about_something_unknown_changes_neither_the_bucket_nor_the_object(
    storage: Storage, bucket: str
) -> None:
    """What a sub-resource is about is not what it belongs to."""
    for query in ("metadataConfiguration=", "bucketStatus="):
        status, text = send(storage, "DELETE", f"/{bucket}", query)
        assert (status, query.strip("=") in text, storage.store.has_bucket(bucket)) == (501, True, True), query
    storage.store.put(bucket, "x", b"old")
    for method, query in (("PUT", "renameObject="), ("DELETE", "annotation=")):
        status, text = send(storage, method, f"/{bucket}/x", query)
        assert (status, query.strip("=") in text, storage.store.read(bucket, "x")) == (501, True, b"old"), query


OTHER = key_pair("OTHERKEY", "other-secret", "others", "d1")


def obs(method: str, url: str, keys: Identity | None = None, host_bucket: str = "", **headers: str) -> dict[str, str]:
    """Headers of a request in the dialect of OBS."""
    keys, parts = keys or key_pair(), urlsplit(url)
    named = {name.replace("_", "-"): value for name, value in headers.items()} | {"date": formatdate(usegmt=True)}
    request = Request(method, parts.path, parts.query, list(named.items()))
    text = next(sigv2.strings_to_sign(request, "OBS", named["date"], host_bucket))
    return named | {"authorization": f"OBS {keys.access_key}:{sigv2.sign(keys.secret_key, text)}"}


def test_obs_clients_get_their_own_headers_and_documents(storage: Storage, bucket: str) -> None:
    """Headers x-obs-* are those of S3 under another name, in requests and responses."""
    assert storage.http.head(f"{storage.endpoint}/?apiversion").headers["x-obs-api"] == "3.0"
    assert storage.http.get(f"{storage.endpoint}/?apiversion").status_code == 403  # nothing else is for everybody
    url = f"{storage.endpoint}/{bucket}/x"
    headers = obs("PUT", url, x_obs_meta_who="me", x_obs_storage_class="STANDARD", content_type="text/plain")
    put = storage.http.put(url, content=b"1", headers=headers)
    got = storage.http.get(url, headers=obs("GET", url))
    listing = storage.http.get(f"{storage.endpoint}/{bucket}", headers=obs("GET", f"{storage.endpoint}/{bucket}"))

    assert (put.status_code, got.status_code) == (200, 200)
    assert (got.headers["x-obs-meta-who"], got.headers["content-type"]) == ("me", "text/plain")
    assert not [name for name in got.headers if name.startswith("x-amz-")]
    assert "http://obs.myhwclouds.com/doc/2015-06-30/" in listing.text
    assert "<ID>d0</ID></Owner>" in listing.text


def test_a_bucket_may_stand_in_the_host_name(storage: Storage, bucket: str) -> None:
    """The path is the key then, and is signed as if the bucket stood before it."""
    storage.store.put(bucket, "a/b", b"1")
    host = f"{bucket}.localhost:{urlsplit(storage.endpoint).port}"
    headers = obs("GET", "/a/b", host_bucket=bucket) | {"host": host}

    assert storage.http.get(f"{storage.endpoint}/a/b", headers=headers).content == b"1"
    assert storage.http.get(f"{storage.endpoint}/a/c", headers=headers).status_code == 403


def test_bytes_are_appended_at_the_end_only(storage: Storage, bucket: str) -> None:
    """An object that was put as a whole, and a wrong position, are conflicts; metadata of the first append stays."""
    url = f"{storage.endpoint}/{bucket}/log"

    def append(position: int, content: bytes) -> tuple[int, str]:
        target = f"{url}?append&position={position}"
        headers = obs("POST", target, x_obs_meta_a="1", content_type="text/plain")
        response = storage.http.post(target, content=content, headers=headers)
        return response.status_code, response.headers.get("x-obs-next-append-position", "")

    assert append(1, b"x")[0] == 409
    assert append(0, b"one ") == (200, "4")
    assert append(4, b"two") == (200, "7")
    assert append(4, b"x") == (409, "")
    info = storage.store.head(bucket, "log")
    assert (storage.store.read(bucket, "log"), info.metadata, info.content_type) == (
        b"one two",
        {"a": "1"},
        "text/plain",
    )
    storage.store.put(bucket, "log", b"whole")
    assert append(5, b"x") == (409, "")


def test_of_two_appends_at_one_position_the_later_is_rejected(storage: Storage, bucket: str) -> None:
    """Also if its request began first: the position is checked again when all bytes have arrived."""
    storage.store.create_bucket(other := f"{bucket}-other")
    for begun, place in enumerate((bucket, other)):
        url = f"{storage.endpoint}/{place}/log"
        if begun:
            storage.http.post(
                f"{url}?append&position=0", content=b"old ", headers=obs("POST", f"{url}?append&position=0")
            )
        target = f"{url}?append&position={4 * begun}"
        slow = http_client.HTTPConnection(urlsplit(url).netloc, timeout=300)
        slow.putrequest("POST", f"/{place}/log?append&position={4 * begun}")
        for name, value in (obs("POST", target) | {"content-length": "4", "expect": "100-continue"}).items():
            slow.putheader(name, value)
        slow.endheaders()
        # The position was checked, and the body is awaited.
        assert slow.sock.recv(100).startswith(b"HTTP/1.1 100"), place

        assert storage.http.post(target, content=b"fast", headers=obs("POST", target)).status_code == 200, place
        slow.send(b"slow")

        assert slow.getresponse().status == 412, place
        assert storage.store.read(place, "log") == b"old fast"[4 - 4 * begun :], place
        slow.close()


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[httpx.Client]:
    """A store with two accounts."""
    app = create_app(Store(tmp_path / "objects"), [key_pair(), OTHER])
    with serving(app) as endpoint, httpx.Client(base_url=endpoint) as client:
        yield client


def test_a_bucket_belongs_to_the_account_that_created_it(shared: httpx.Client) -> None:
    """Others get 403 for every call, do not see it, and cannot create it or copy from it."""

    def call(method: str, path: str, keys: Identity, **headers: str) -> httpx.Response:
        return shared.request(method, path, headers=obs(method, path, keys, **headers))

    assert call("PUT", "/mine", key_pair()).status_code == 200
    assert call("PUT", "/mine/x", key_pair()).status_code == 200
    assert call("PUT", "/theirs", OTHER).status_code == 200
    for method, path in [
        ("GET", "/mine"),
        ("GET", "/mine/x"),
        ("PUT", "/mine/y"),
        ("DELETE", "/mine"),
        ("HEAD", "/mine"),
    ]:
        assert call(method, path, OTHER).status_code == 403, (method, path)
    assert call("PUT", "/theirs/x", OTHER, x_obs_copy_source="/mine/x").status_code == 403
    assert "BucketAlreadyExists" in call("PUT", "/mine", OTHER).text
    assert "BucketAlreadyOwnedByYou" in call("PUT", "/mine", key_pair()).text
    assert "<Name>mine</Name>" not in call("GET", "/", OTHER).text
    assert "<Name>mine</Name>" in call("GET", "/", key_pair()).text


def test_each_checksum_is_verified_kept_and_returned(storage: Storage, bucket: str) -> None:
    """A wrong one leaves nothing; the right one comes back with the whole object when it is asked for."""

    def put(header: str, checksum: str) -> httpx.Response:
        headers = signed(storage, "PUT", f"/{bucket}/x", "", sigv4.UNSIGNED, {header: checksum})
        return storage.http.put(f"{storage.endpoint}/{bucket}/x", content=b"content", headers=headers)

    models = {"crc32": ("CRC32", 4), "crc32c": ("CRC32C", 4), "crc64nvme": ("CRC64-NVME", 8)}
    for name in ["crc32", "crc32c", "crc64nvme", "sha1", "sha256"]:
        if name in models:
            model, length = models[name]
            digest = Model(model).calc(b"content").to_bytes(length)
        else:
            digest = hashlib.new(name, b"content").digest()
        header, value = f"x-amz-checksum-{name}", base64.b64encode(digest).decode()

        assert "BadDigest" in put(header, base64.b64encode(digest[::-1]).decode()).text, name
        assert storage.store.list(bucket).objects == [], name
        assert put(header, value).headers[header] == value, name
        mode = {"x-amz-checksum-mode": "ENABLED"}
        headers = signed(storage, "GET", f"/{bucket}/x", "", sigv4.UNSIGNED, mode)
        assert storage.http.get(f"{storage.endpoint}/{bucket}/x", headers=headers).headers[header] == value, name
        plain = signed(storage, "GET", f"/{bucket}/x", "", sigv4.UNSIGNED)
        assert header not in storage.http.get(f"{storage.endpoint}/{bucket}/x", headers=plain).headers, name
        storage.store.delete(bucket, "x")

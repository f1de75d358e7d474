"""Calls on buckets: pages and prefixes of listings, owners, and what is no part of a bucket, on a real port."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from botocore.exceptions import ClientError
from tests.emulator.s3.conftest import Storage, signed


def _error_of(act: Any, **arguments: Any) -> tuple[int, str]:
    with pytest.raises(ClientError) as caught:
        act(**arguments)
    response = caught.value.response
    return response["ResponseMetadata"]["HTTPStatusCode"], response["Error"]["Code"]


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


def test_buckets_are_listed_by_prefix_and_in_pages(s3: Any, storage: Storage) -> None:
    names = [f"paged-{next(storage.numbers):04}" for _ in range(3)]
    for name in names:
        storage.store.create_bucket(name, location="east" if name == names[2] else "")

    first = s3.list_buckets(Prefix="paged-", MaxBuckets=2)
    second = s3.list_buckets(Prefix="paged-", MaxBuckets=2, ContinuationToken=first["ContinuationToken"])
    east = s3.list_buckets(Prefix="paged-", BucketRegion="east")

    assert [[entry["Name"] for entry in page["Buckets"]] for page in (first, second, east)] == [
        names[:2],
        names[2:],
        names[2:],
    ]
    assert "ContinuationToken" not in second


def test_a_bucket_of_another_account_than_expected_is_not_used(s3: Any, bucket: str) -> None:
    """The client takes the bucket for that of another account."""
    s3.put_object(Bucket=bucket, Key="x", Body=b"1", ExpectedBucketOwner="d0")

    assert _error_of(s3.delete_object, Bucket=bucket, Key="x", ExpectedBucketOwner="d1") == (403, "AccessDenied")
    copy = {"Bucket": bucket, "Key": "y", "CopySource": f"{bucket}/x"}
    assert _error_of(s3.copy_object, **copy, ExpectedSourceBucketOwner="d1") == (403, "AccessDenied")
    assert [entry["Key"] for entry in s3.list_objects_v2(Bucket=bucket)["Contents"]] == ["x"]


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
    headers = signed(storage, method, f"/{bucket}{path}", query, "UNSIGNED-PAYLOAD")

    response = http.request(method, f"{storage.endpoint}/{bucket}{path}?{query}", headers=headers)

    assert response.status_code == 501
    assert query.strip("=") in response.text
    assert not path or storage.store.read(bucket, "x") == b"old"
    assert storage.store.has_bucket(bucket)

"""Uploads in parts: how they are listed, and what is checked of the object that they become, on a real port."""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Sequence
from typing import Any

import pytest
from botocore.exceptions import ClientError
from tests.emulator.s3.conftest import error_of

PART = b"b" * 102_400  # the smallest
LAST = b"c"


def _listed(s3: Any, bucket: str, **arguments: Any) -> list[list[str]]:
    """The ids of uploads, page by page."""
    pages: list[list[str]] = []
    markers: dict[str, str] = {}
    while True:
        page = s3.list_multipart_uploads(Bucket=bucket, **arguments, **markers)
        pages.append([entry["UploadId"] for entry in page.get("Uploads", ())])
        if not page["IsTruncated"]:
            return pages
        markers = {"KeyMarker": page["NextKeyMarker"], "UploadIdMarker": page["NextUploadIdMarker"]}


def test_uploads_of_one_key_are_listed_once_each_in_the_order_in_which_they_began(s3: Any, bucket: str) -> None:
    """However they are divided into pages."""
    begun = [s3.create_multipart_upload(Bucket=bucket, Key=key)["UploadId"] for key in ["k"] * 5 + ["l"]]

    assert _listed(s3, bucket) == [begun]
    assert _listed(s3, bucket, MaxUploads=1) == [[upload_id] for upload_id in begun]
    assert _listed(s3, bucket, MaxUploads=4) == [begun[:4], begun[4:]]


def _complete(s3: Any, bucket: str, bodies: Sequence[bytes] = (PART, LAST), **announced: Any) -> Any:
    name = {"Bucket": bucket, "Key": "x"}
    name["UploadId"] = s3.create_multipart_upload(**name)["UploadId"]
    parts = [
        {"PartNumber": number, "ETag": s3.upload_part(**name, PartNumber=number, Body=body)["ETag"]}
        for number, body in enumerate(bodies, 1)
    ]
    return s3.complete_multipart_upload(**name, MultipartUpload={"Parts": parts}, **announced)


def test_an_upload_ends_with_the_checksum_that_clients_announce(s3: Any, bucket: str) -> None:
    """It is not compared: each part was, when it arrived."""
    crc32 = base64.b64encode(zlib.crc32(PART + LAST).to_bytes(4)).decode()
    _complete(s3, bucket, ChecksumCRC32=crc32, ChecksumType="FULL_OBJECT", MpuObjectSize=len(PART + LAST))

    assert s3.get_object(Bucket=bucket, Key="x")["Body"].read() == PART + LAST


def test_parts_come_in_pages_each_once_and_end_with_their_bucket(s3: Any, bucket: str) -> None:
    """The next bucket of the name may be that of another account."""
    name = {"Bucket": bucket, "Key": "x"}
    name["UploadId"] = s3.create_multipart_upload(**name)["UploadId"]
    for number in (1, 2, 5):
        s3.upload_part(**name, PartNumber=number, Body=PART)

    pages, page = [], {"NextPartNumberMarker": 0}
    for _ in range(3):
        page = s3.list_parts(**name, MaxParts=1, PartNumberMarker=page["NextPartNumberMarker"])
        pages.append(([part["PartNumber"] for part in page["Parts"]], page["IsTruncated"]))

    assert pages == [([1], True), ([2], True), ([5], False)]

    s3.delete_bucket(Bucket=bucket)
    s3.create_bucket(Bucket=bucket)

    assert "Uploads" not in s3.list_multipart_uploads(Bucket=bucket)
    with pytest.raises(ClientError, match="NoSuchUpload"):
        s3.list_parts(**name)


def test_the_etag_of_an_upload_in_parts_has_the_published_form(s3: Any, bucket: str) -> None:
    """The MD5 of the MD5s of the parts, and how many there are; the last one may be empty."""
    for last in (LAST, b""):
        etag = _complete(s3, bucket, (PART, last))["ETag"]

        md5 = hashlib.md5(b"".join(hashlib.md5(data).digest() for data in (PART, last))).hexdigest()
        assert etag == s3.head_object(Bucket=bucket, Key="x")["ETag"] == f'"{md5}-2"', len(last)
        assert s3.get_object(Bucket=bucket, Key="x")["Body"].read() == PART + last, len(last)


def test_a_part_cannot_be_copied_from_beyond_its_source(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="source", Body=b"0123456789")
    upload = s3.create_multipart_upload(Bucket=bucket, Key="k")["UploadId"]
    copied = {"Bucket": bucket, "Key": "k", "UploadId": upload, "PartNumber": 1, "CopySource": f"{bucket}/source"}

    assert error_of(s3.upload_part_copy, **copied, CopySourceRange="bytes=5-10") == (416, "InvalidRange")
    assert error_of(s3.upload_part_copy, **copied, CopySourceRange="bytes=5-") == (400, "InvalidArgument")
    assert s3.upload_part_copy(**copied, CopySourceRange="bytes=5-9")["CopyPartResult"]["ETag"]

"""Copies of an object or of a part under conditions on the source, on a real port."""

from __future__ import annotations

import datetime
from typing import Any

import httpx
import pytest
from botocore.exceptions import ClientError
from tests.emulator.s3.conftest import Storage, signed

from modelarts_emulator.s3 import sigv4

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
    headers = signed(storage, "PUT", f"/{bucket}/to", "", sigv4.UNSIGNED, more)

    response = http.put(f"{storage.endpoint}/{bucket}/to", headers=headers)
    assert (response.status_code, "<Code>InvalidArgument</Code>" in response.text) == (400, True)
    assert [info.key for info in storage.store.list(bucket).objects] == ["from"]

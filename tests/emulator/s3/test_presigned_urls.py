"""Headers that presigned URLs have as parameters count as if they had been sent, on a real port."""

from __future__ import annotations

import base64
import time
import zlib
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import httpx
import pytest
from tests.emulator.s3.conftest import ACCESS_KEY, SECRET_KEY, Storage

from modelarts_emulator.http.signatures import Request
from modelarts_emulator.s3 import sigv2, sigv4


def signed_by_obs(storage: Storage, method: str, path: str, scheme: str = "OBS", **parameters: str) -> str:
    """A URL of OBS, or with the same signature of version 2 of AWS."""
    name = "AccessKeyId" if scheme == "OBS" else "AWSAccessKeyId"
    expires, query = str(int(time.time()) + 60), urlencode(parameters)
    request = Request(method, path, query, [])
    signature = sigv2.sign(SECRET_KEY, next(sigv2.strings_to_sign(request, scheme, expires, "")))
    return f"{storage.endpoint}{path}?{query}&{name}={ACCESS_KEY}&Expires={expires}&Signature={quote(signature)}"


def signed_by_aws(storage: Storage, method: str, path: str, **parameters: str) -> str:
    """A URL with a signature of version 4, which covers all parameters."""
    timestamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    scope = f"{timestamp[:8]}/local/s3/aws4_request"
    query = urlencode(
        {
            "X-Amz-Algorithm": sigv4.ALGORITHM,
            "X-Amz-Credential": f"{ACCESS_KEY}/{scope}",
            "X-Amz-Date": timestamp,
            "X-Amz-Expires": "60",
            "X-Amz-SignedHeaders": "host",
            **parameters,
        },
        quote_via=quote,
    )
    request = Request(method, path, query, [("host", urlsplit(storage.endpoint).netloc)])
    payload = parameters.get("X-Amz-Content-Sha256", sigv4.UNSIGNED)
    canonical = sigv4.canonical_request(request, ["host"], payload)
    signature = sigv4.sign(SECRET_KEY, timestamp, scope, canonical)
    return f"{storage.endpoint}{path}?{query}&X-Amz-Signature={signature}"


def code_of(response: httpx.Response) -> tuple[int, str]:
    return response.status_code, response.text.partition("<Code>")[2].partition("</Code>")[0]


def test_boto3_puts_type_and_metadata_into_a_url_of_version_2_and_copies_by_one(storage: Storage, bucket: str) -> None:
    """Whoever has the URL sends the body only; a copy is made only of a source that is there."""
    old = storage.boto3(signature_version="s3")
    given = {"Bucket": bucket, "Key": "x", "ContentType": "text/x-log", "Metadata": {"a": "1"}, "ACL": "private"}
    url = old.generate_presigned_url("put_object", Params=given)

    assert storage.http.put(url, content=b"1").status_code == 200
    info = storage.store.head(bucket, "x")
    assert (info.content_type, info.metadata) == ("text/x-log", {"a": "1"})

    storage.store.put(bucket, "source", b"copied")
    urls = [
        old.generate_presigned_url(
            "copy_object", Params={"Bucket": bucket, "Key": "x", "CopySource": f"{bucket}/{source}"}
        )
        for source in ("source", "nowhere")
    ]

    assert storage.http.put(urls[0]).status_code == 200
    assert storage.store.read(bucket, "x") == b"copied"
    assert code_of(storage.http.put(urls[1])) == (404, "NoSuchKey")


@pytest.mark.parametrize("name", ["x-amz-acl", "x-amz-tagging", "x-amz-server-side-encryption"])
@pytest.mark.parametrize("sign", [signed_by_aws, signed_by_obs])
def test_what_the_store_lacks_is_rejected_in_a_url_too(storage: Storage, bucket: str, sign: Any, name: str) -> None:
    """Nothing is stored."""
    if sign is signed_by_obs:
        name = name.replace("x-amz-", "x-obs-")
    url = sign(storage, "PUT", f"/{bucket}/x", **{name: "public-read"})

    assert code_of(storage.http.put(url, content=b"1")) == (501, "NotImplemented")
    assert storage.store.list(bucket).objects == []


def test_parameters_of_the_own_dialect_and_headers_that_are_sent_count(storage: Storage, bucket: str) -> None:
    """With version 4 the type of the body need not be signed; parameters of the other dialect are not covered."""
    url = signed_by_obs(storage, "PUT", f"/{bucket}/x", **{"x-obs-meta-who": "Zoë", "x-obs-storage-class": "STANDARD"})

    assert storage.http.put(url, content=b"1").status_code == 200
    got = storage.http.get(signed_by_obs(storage, "GET", f"/{bucket}/x"))
    assert dict(got.headers.raw)[b"x-obs-meta-who"] == "Zoë".encode()

    url = signed_by_aws(storage, "PUT", f"/{bucket}/x", **{"content-type": "text/x-url"})

    storage.http.put(url, content=b"1", headers={"content-type": "text/x-sent"})

    assert storage.store.head(bucket, "x").content_type == "text/x-sent"

    for scheme, name in (("OBS", "x-amz-acl"), ("AWS", "x-obs-acl")):
        url = signed_by_obs(storage, "PUT", f"/{bucket}/x", scheme)
        assert code_of(storage.http.put(f"{url}&{name}=private", content=b"1")) == (403, "AccessDenied"), scheme
        assert storage.http.put(url, content=b"1").status_code == 200, scheme


@pytest.mark.parametrize("body", [b"body", b"other"])
def test_a_checksum_in_a_url_is_that_of_the_body(storage: Storage, bucket: str, body: bytes) -> None:
    """Clients for JavaScript presign it so; another body is rejected, as one with another SHA-256."""
    checksum = base64.b64encode(zlib.crc32(b"body").to_bytes(4)).decode()
    url = signed_by_aws(storage, "PUT", f"/{bucket}/x", **{"x-amz-checksum-crc32": checksum, "x-amz-meta-a": "1"})
    sha256 = "230d8358dc8e8890b4c58deeb62912ee2f20357ae92a5cc861b98e68fe31acb5"  # of b"body"
    hashed = signed_by_aws(storage, "PUT", f"/{bucket}/y", **{"X-Amz-Content-Sha256": sha256})

    responses = [storage.http.put(url, content=body), storage.http.put(hashed, content=body)]

    if body == b"body":
        assert [response.status_code for response in responses] == [200, 200]
        assert storage.store.head(bucket, "x").metadata == {"a": "1"}
    else:
        assert list(map(code_of, responses)) == [(400, "BadDigest"), (400, "XAmzContentSHA256Mismatch")]

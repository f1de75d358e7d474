"""Uploads of HTML forms whose fields HTTP cannot carry as headers, or whose policy is incomplete, on a real port."""

from __future__ import annotations

import base64
import json
import time
from typing import Any

import httpx
import pytest
from tests.emulator.storage.conftest import ACCESS_KEY, SECRET_KEY, KeyPair, Storage, serving

from modelarts_emulator.storage.server import sigv2
from modelarts_emulator.storage.server.app import create_app


def _post(storage: Storage, bucket: str, http: httpx.Client, fields: dict[str, str], *extra: Any) -> httpx.Response:
    """Post a form with a policy that allows its fields, and what `extra` says."""
    expiration = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 60))
    conditions = [["starts-with", f"${name}", ""] for name in ("key", *fields)]
    policy = base64.b64encode(json.dumps({"expiration": expiration, "conditions": [*conditions, *extra]}).encode())
    signed = {"policy": policy.decode(), "signature": sigv2.sign(SECRET_KEY, policy.decode())}
    data = {"key": "x", "AWSAccessKeyId": ACCESS_KEY, **signed, **fields}
    return http.post(f"{storage.endpoint}/{bucket}", data=data, files={"file": ("a.txt", b"posted")})


@pytest.mark.parametrize(
    "fields",
    [
        {"x-amz-meta-a": "\u2603\nx"},
        {"x-amz-meta-a": "\u2603"},
        {"x-amz-meta-a": "a\x00b"},
        {"x-amz-meta-a b": "1"},
        {"content-type": "a/b\r\nX: y\u2603"},
        {"cache-control": "a\r\nb"},
        {"success_action_redirect": "http://x/\r\nSet-Cookie: a=1 \u00e9"},
        {"redirect": "http://x/\u2603"},
    ],
)
def test_a_form_with_a_value_that_no_header_can_have_is_rejected(
    storage: Storage, bucket: str, http: httpx.Client, fields: dict[str, str]
) -> None:
    """Before anything is stored."""
    response = _post(storage, bucket, http, fields, {"bucket": bucket})

    assert (response.status_code, "<Code>InvalidArgument</Code>" in response.text) == (400, True)
    assert storage.store.list(bucket).objects == []


@pytest.mark.parametrize(
    ("condition", "status"),
    [(None, 403), ({"bucket": "another"}, 403), (["starts-with", "$bucket", ""], 204), (["eq", "$bucket", "{}"], 204)],
)
def test_a_policy_names_the_bucket(
    storage: Storage, bucket: str, http: httpx.Client, condition: Any, status: int
) -> None:
    """A policy without a condition on the bucket allows no upload, as with any other field."""
    if isinstance(condition, list):
        condition = [part.format(bucket) for part in condition]
    response = _post(storage, bucket, http, {}, *filter(None, [condition]))

    assert response.status_code == status, response.text
    assert len(storage.store.list(bucket).objects) == (status == 204)
    assert condition is not None or "bucket" in response.text


@pytest.mark.parametrize("name", ["success_action_redirect", "redirect"])
def test_a_form_can_send_the_browser_elsewhere(storage: Storage, bucket: str, http: httpx.Client, name: str) -> None:
    """With the name of what was stored added to the URL."""
    response = _post(storage, bucket, http, {name: "http://x/y?z=1"}, {"bucket": bucket})

    assert response.status_code == 303
    assert response.headers["location"].startswith(f"http://x/y?z=1&bucket={bucket}&key=x&etag=%22")


def test_the_values_of_a_form_come_back_as_headers(storage: Storage, bucket: str, http: httpx.Client, s3: Any) -> None:
    """Without the whitespace around them, as of any header."""
    fields = {"x-amz-meta-a": " b c ", "content-type": "text/plain", "cache-control": ""}
    assert _post(storage, bucket, http, fields, {"bucket": bucket}).status_code == 204

    got = s3.get_object(Bucket=bucket, Key="x")
    assert (got["Metadata"], got["ContentType"], got["Body"].read()) == ({"a": "b c"}, "text/plain", b"posted")


def test_the_fields_of_an_obs_form_have_their_effect(
    storage: Storage, bucket: str, http: httpx.Client, s3: Any
) -> None:
    """Metadata is kept, and an access control list that is not supported is not dropped silently."""
    assert _post(storage, bucket, http, {"x-obs-acl": "public-read"}, {"bucket": bucket}).status_code == 501
    assert _post(storage, bucket, http, {"x-obs-meta-a": "b"}, {"bucket": bucket}).status_code == 204

    assert s3.head_object(Bucket=bucket, Key="x")["Metadata"] == {"a": "b"}


def test_a_stored_value_that_no_header_can_have_is_left_out(storage: Storage, bucket: str, s3: Any) -> None:
    """The object can still be read; the metadata that is missing is counted, as S3 does."""
    storage.store.put(bucket, "x", b"1", content_type="a/b\r\nX: \u2603", metadata={"a": "\u2603\n", "b": "1"})

    for response in (s3.get_object(Bucket=bucket, Key="x"), s3.head_object(Bucket=bucket, Key="x")):
        assert (response["Metadata"], response["MissingMeta"]) == ({"b": "1"}, 1)
        assert response["ContentType"] == "binary/octet-stream"


@pytest.mark.parametrize(
    "field",
    [
        "acl",
        "tagging",
        "x-amz-server-side-encryption",
        "x-amz-website-redirect-location",
        "x-amz-object-lock-mode",
    ],
)
def test_what_a_put_cannot_ask_for_a_form_cannot_either(
    storage: Storage, bucket: str, http: httpx.Client, field: str
) -> None:
    response = _post(storage, bucket, http, {field: "public-read"}, {"bucket": bucket})

    assert (response.status_code, storage.store.list(bucket).objects) == (501, [])


@pytest.mark.parametrize("name", ["file.txt", "../up/file.txt", "C:\\up\\file.txt"])
def test_only_the_last_part_of_a_files_path_becomes_part_of_a_key(
    storage: Storage, bucket: str, s3: Any, http: httpx.Client, name: str
) -> None:
    """So that who fills in the form does not choose another folder than its author."""
    post = s3.generate_presigned_post(bucket, "in/${filename}")
    lines = [
        f'--b\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n'
        for field, value in post["fields"].items()
    ]
    lines.append(f'--b\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\nposted\r\n--b--\r\n')
    headers = {"content-type": "multipart/form-data; boundary=b"}

    assert http.post(post["url"], content="".join(lines).encode(), headers=headers).status_code == 204

    assert [info.key for info in storage.store.list(bucket).objects] == ["in/file.txt"]


def test_a_form_may_be_signed_with_temporary_keys(storage: Storage, bucket: str, http: httpx.Client) -> None:
    """With their security token as a field, as long as that is valid."""
    temporary = KeyPair("TEMPORARY", "temporary-secret")
    app = create_app(storage.store, [KeyPair()], temporary_identity={"valid": temporary}.get)
    statuses = []
    with serving(app) as endpoint:
        for token in ("valid", "expired"):
            keys = {"aws_access_key_id": temporary.access_key, "aws_secret_access_key": temporary.secret_key}
            post = storage.boto3(aws_session_token=token, **keys).generate_presigned_post(bucket, token)
            response = http.post(f"{endpoint}/{bucket}", data=post["fields"], files={"file": b"posted"})
            statuses.append(response.status_code)

    assert statuses == [204, 403]
    assert [info.key for info in storage.store.list(bucket).objects] == ["valid"]

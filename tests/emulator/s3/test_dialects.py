"""Requests in the dialect of OBS, buckets in the host name, accounts and checksums, on a real port."""

from __future__ import annotations

import base64
import hashlib
import http.client as http_client
from collections.abc import Iterator
from email.utils import formatdate
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from anycrc import Model
from tests.emulator.s3.conftest import Storage, key_pair, serving, signed

from modelarts_emulator.s3 import sigv2, sigv4
from modelarts_emulator.s3.app import create_app
from modelarts_emulator.settings.accounts import Identity
from modelarts_emulator.storage.protocol import Store

OTHER = key_pair("OTHERKEY", "other-secret", "others", "d1")


def obs(method: str, url: str, keys: Identity | None = None, host_bucket: str = "", **headers: str) -> dict[str, str]:
    """Headers of a request in the dialect of OBS."""
    keys, parts = keys or key_pair(), urlsplit(url)
    named = {name.replace("_", "-"): value for name, value in headers.items()} | {"date": formatdate(usegmt=True)}
    request = sigv4.Request(method, parts.path, parts.query, list(named.items()))
    text = next(sigv2.strings_to_sign(request, "OBS", named["date"], host_bucket))
    return named | {"authorization": f"OBS {keys.access_key}:{sigv2.sign(keys.secret_key, text)}"}


def test_obs_clients_get_their_own_headers_and_documents(storage: Storage, bucket: str, http: httpx.Client) -> None:
    """Headers x-obs-* are those of S3 under another name, in requests and responses."""
    url = f"{storage.endpoint}/{bucket}/x"
    headers = obs("PUT", url, x_obs_meta_who="me", x_obs_storage_class="STANDARD", content_type="text/plain")
    put = http.put(url, content=b"1", headers=headers)
    got = http.get(url, headers=obs("GET", url))
    listing = http.get(f"{storage.endpoint}/{bucket}", headers=obs("GET", f"{storage.endpoint}/{bucket}"))

    assert (put.status_code, got.status_code) == (200, 200)
    assert (got.headers["x-obs-meta-who"], got.headers["content-type"]) == ("me", "text/plain")
    assert not [name for name in got.headers if name.startswith("x-amz-")]
    assert "http://obs.myhwclouds.com/doc/2015-06-30/" in listing.text
    assert "<ID>d0</ID></Owner>" in listing.text


def test_the_dialect_is_asked_for_without_a_signature(storage: Storage, http: httpx.Client) -> None:
    """`HEAD /?apiversion` is all that anybody may ask."""
    assert http.head(f"{storage.endpoint}/?apiversion").headers["x-obs-api"] == "3.0"
    assert http.get(f"{storage.endpoint}/?apiversion").status_code == 403


def test_a_bucket_may_stand_in_the_host_name(storage: Storage, bucket: str, http: httpx.Client) -> None:
    """The path is the key then, and is signed as if the bucket stood before it."""
    storage.store.put(bucket, "a/b", b"1")
    host = f"{bucket}.localhost:{urlsplit(storage.endpoint).port}"
    headers = obs("GET", "/a/b", host_bucket=bucket) | {"host": host}

    assert http.get(f"{storage.endpoint}/a/b", headers=headers).content == b"1"
    assert http.get(f"{storage.endpoint}/a/c", headers=headers).status_code == 403


def test_bytes_are_appended_at_the_end_only(storage: Storage, bucket: str, http: httpx.Client) -> None:
    """An object that was put as a whole, and a wrong position, are conflicts; metadata of the first append stays."""
    url = f"{storage.endpoint}/{bucket}/log"

    def append(position: int, content: bytes) -> tuple[int, str]:
        target = f"{url}?append&position={position}"
        headers = obs("POST", target, x_obs_meta_a="1", content_type="text/plain")
        response = http.post(target, content=content, headers=headers)
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


def test_of_two_appends_at_one_position_the_later_is_rejected(
    storage: Storage, bucket: str, http: httpx.Client
) -> None:
    """Also if its request began first: the position is checked again when all bytes have arrived."""
    storage.store.create_bucket(other := f"{bucket}-other")
    for begun, place in enumerate((bucket, other)):
        url = f"{storage.endpoint}/{place}/log"
        if begun:
            http.post(f"{url}?append&position=0", content=b"old ", headers=obs("POST", f"{url}?append&position=0"))
        target = f"{url}?append&position={4 * begun}"
        slow = http_client.HTTPConnection(urlsplit(url).netloc, timeout=300)
        slow.putrequest("POST", f"/{place}/log?append&position={4 * begun}")
        for name, value in (obs("POST", target) | {"content-length": "4", "expect": "100-continue"}).items():
            slow.putheader(name, value)
        slow.endheaders()
        assert slow.sock.recv(100).startswith(b"HTTP/1.1 100")  # the position was checked, and the body is awaited

        assert http.post(target, content=b"fast", headers=obs("POST", target)).status_code == 200
        slow.send(b"slow")

        assert slow.getresponse().status == 412
        assert storage.store.read(place, "log") == b"old fast"[4 - 4 * begun :]
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


@pytest.mark.parametrize("name", ["crc32", "crc32c", "crc64nvme", "sha1", "sha256"])
def test_each_checksum_is_verified_kept_and_returned(
    storage: Storage, bucket: str, http: httpx.Client, name: str
) -> None:
    """A wrong one leaves nothing; the right one comes back with the whole object when it is asked for."""
    models = {"crc32": ("CRC32", 4), "crc32c": ("CRC32C", 4), "crc64nvme": ("CRC64-NVME", 8)}
    if name in models:
        model, length = models[name]
        digest = Model(model).calc(b"content").to_bytes(length)
    else:
        digest = hashlib.new(name, b"content").digest()
    header, value = f"x-amz-checksum-{name}", base64.b64encode(digest).decode()

    def put(checksum: str) -> httpx.Response:
        headers = signed(storage, "PUT", f"/{bucket}/x", "", sigv4.UNSIGNED, {header: checksum})
        return http.put(f"{storage.endpoint}/{bucket}/x", content=b"content", headers=headers)

    assert "BadDigest" in put(base64.b64encode(digest[::-1]).decode()).text
    assert storage.store.list(bucket).objects == []
    assert put(value).headers[header] == value
    mode = {"x-amz-checksum-mode": "ENABLED"}
    headers = signed(storage, "GET", f"/{bucket}/x", "", sigv4.UNSIGNED, mode)
    assert http.get(f"{storage.endpoint}/{bucket}/x", headers=headers).headers[header] == value
    plain = signed(storage, "GET", f"/{bucket}/x", "", sigv4.UNSIGNED)
    assert header not in http.get(f"{storage.endpoint}/{bucket}/x", headers=plain).headers


def test_obs_s_own_checksum_is_a_decimal_number(storage: Storage, bucket: str, http: httpx.Client) -> None:
    """CRC-64 of ECMA-182, as Huawei's SDK calculates it."""
    url = f"{storage.endpoint}/{bucket}/x"
    value = str(Model("CRC64-XZ").calc(b"content"))

    assert http.put(url, content=b"content", headers=obs("PUT", url, x_obs_checksum_crc64ecma="1")).status_code == 400
    put = http.put(url, content=b"content", headers=obs("PUT", url, x_obs_checksum_crc64ecma=value))
    assert (put.status_code, put.headers["x-obs-checksum-crc64ecma"]) == (200, value)

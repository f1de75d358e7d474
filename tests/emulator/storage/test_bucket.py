"""Reaching a bucket of another service."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.emulator.s3.conftest import SECRET_KEY
from tests.emulator.storage import stores

from modelarts_emulator.storage.bucket import Remote
from modelarts_emulator.storage.errors import AccessDenied, ServiceUnavailable, StoreError
from modelarts_emulator.storage.opening import open_store

ENVIRON = stores.credentials() | {"MODELARTS_EMULATOR_OBJECTS_SECURITY_TOKEN": "secret-token"}


@pytest.fixture(scope="module")
def service() -> Iterator[str]:
    with stores.own_service() as endpoint:
        yield endpoint


@pytest.fixture(autouse=True)
def _credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in stores.credentials().items():
        monkeypatch.setenv(name, value)


def test_a_url_names_everything_but_the_credentials() -> None:
    """The URL made of a remote bucket opens it again, and neither it nor the repr contains a secret."""
    remote = Remote.parse("s3://bucket/some/prefix/?endpoint=https://obs.eu-de.otc.t-systems.com/", ENVIRON)

    assert (remote.bucket, remote.prefix, remote.region) == ("bucket", "some/prefix", "eu-de")
    assert Remote.parse(remote.url, ENVIRON) == remote
    for text in (remote.url, str(remote), repr(remote)):
        assert SECRET_KEY not in text
        assert "secret-token" not in text


@pytest.mark.parametrize(
    ("url", "remedy"),
    [
        ("s3:///prefix?endpoint=https://host", "use s3://bucket/prefix"),
        ("s3://someone@bucket?endpoint=https://host", "use s3://bucket/prefix"),
        ("s3://bucket?endpoint=https://host&other=1", "use s3://bucket/prefix"),
        ("s3://bucket/prefix", "--objects-endpoint"),
        ("s3://bucket/prefix?endpoint=host", "--objects-endpoint"),
    ],
)
def test_an_incomplete_url_is_rejected_with_a_remedy(url: str, remedy: str) -> None:
    """The message says what to write."""
    with pytest.raises(ValueError, match=remedy):
        Remote.parse(url, ENVIRON)


def test_missing_credentials_are_named() -> None:
    """The message names the environment variables."""
    with pytest.raises(
        ValueError, match="MODELARTS_EMULATOR_OBJECTS_ACCESS_KEY and MODELARTS_EMULATOR_OBJECTS_SECRET_KEY"
    ):
        Remote.parse("s3://bucket?endpoint=https://host", {})


def test_another_scheme_is_rejected() -> None:
    """There are two kinds of store."""
    with pytest.raises(ValueError, match=r"file:///path/to/folder or s3://bucket/prefix"):
        open_store("ftp://host/folder")


@pytest.mark.parametrize(
    ("variable", "code"),
    [
        ("MODELARTS_EMULATOR_OBJECTS_SECRET_KEY", "SignatureDoesNotMatch"),
        ("MODELARTS_EMULATOR_OBJECTS_ACCESS_KEY", "InvalidAccessKeyId"),
    ],
)
def test_rejected_credentials_are_one_clear_sentence(
    service: str, variable: str, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message names the service, its reason and the variables, and no secret."""
    monkeypatch.setenv(variable, "wrong-value")

    with pytest.raises(AccessDenied, match=f"{code}.*check MODELARTS_EMULATOR_OBJECTS_ACCESS_KEY") as caught:
        open_store(stores.fresh_url(service)).prepare()
    assert "wrong-value" not in str(caught.value)
    assert SECRET_KEY not in str(caught.value)


def test_a_missing_bucket_is_one_clear_sentence(service: str) -> None:
    """The message names the bucket and the service."""
    with pytest.raises(StoreError, match="bucket nowhere does not exist at http"):
        open_store(f"s3://nowhere/x?endpoint={service}").prepare()


def test_an_unreachable_service_is_one_clear_sentence() -> None:
    """The message names the address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        endpoint = f"http://127.0.0.1:{probe.getsockname()[1]}"
        with pytest.raises(ServiceUnavailable, match=f"at {endpoint} cannot be used") as caught:
            open_store(stores.fresh_url(endpoint)).prepare()
    assert len(str(caught.value)) < 300


def test_objects_that_were_there_before_are_never_cleared(service: str, tmp_path: Path) -> None:
    """Under a prefix that held other objects, the emulator works, but does not delete everything."""
    url = stores.fresh_url(service)
    mine = open_store(url)
    mine.create_bucket("mine")  # not prepared: as if by other means
    mine.put("mine", "precious", b"1")
    opened = open_store(url, tmp_path)
    opened.prepare()

    with pytest.raises(AccessDenied, match="held other objects"):
        opened.clear()
    assert opened.read("mine", "precious") == b"1"


def test_an_object_that_is_replaced_while_it_is_read_is_not_mixed(service: str) -> None:
    """The rest of an object that has been replaced cannot be read."""
    store = open_store(stores.fresh_url(service))
    store.create_bucket("data")
    store.put("data", "x", b"1" * 3_000_000)
    _, stream = store.get("data", "x")
    store.put("data", "x", b"2" * 3_000_000)
    with stream:
        stream.seek(2_000_000)
        with pytest.raises(StoreError):
            stream.read(1)


class ReadOnly(BaseHTTPRequestHandler):
    """A service whose bucket may be listed, and neither written nor deleted from."""

    def do_GET(self) -> None:
        self._respond(200, "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>")

    def do_PUT(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self._respond(403, "<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>")

    def _respond(self, status: int, text: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        return


def test_a_bucket_that_may_not_be_written_is_one_clear_sentence() -> None:
    """The emulator tries it before it starts, and names the rights that it needs."""
    with ThreadingHTTPServer(("127.0.0.1", 0), ReadOnly) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            store = open_store(f"s3://shared/mine?endpoint=http://127.0.0.1:{server.server_port}")
            with pytest.raises(
                AccessDenied, match=r"shared/mine at .*\(AccessDenied\).* may list, read, write and delete"
            ):
                store.prepare()
        finally:
            server.shutdown()

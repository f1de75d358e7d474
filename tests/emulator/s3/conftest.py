"""A real object store on a real port, and the clients that people use."""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import boto3
import httpx
import pytest
import uvicorn
from botocore.config import Config
from botocore.exceptions import ClientError
from starlette.types import ASGIApp

from modelarts_emulator.http.signatures import Request
from modelarts_emulator.s3 import sigv4
from modelarts_emulator.s3.app import create_app
from modelarts_emulator.settings.accounts import Identity
from modelarts_emulator.storage.protocol import Store

ACCESS_KEY, SECRET_KEY = "TESTACCESSKEY", "test-secret-key"


def key_pair(
    access_key: str = ACCESS_KEY, secret_key: str = SECRET_KEY, account: str = "tests", domain_id: str = "d0"
) -> Identity:
    """A user with these keys."""
    return Identity(account, "user", "password", "project", "p0", domain_id, "u0", access_key, secret_key)


EXAMPLE = key_pair("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
"""The keys in the examples of the S3 reference."""


@dataclass
class Storage:
    """The served store."""

    store: Store
    endpoint: str = ""
    clients: dict[str, Any] = field(default_factory=dict)
    http: httpx.Client = field(default_factory=httpx.Client)
    numbers: Iterator[int] = field(default_factory=itertools.count)

    def boto3(self, signature_version: str | None = None, **options: Any) -> Any:
        keys = {"aws_access_key_id": ACCESS_KEY, "aws_secret_access_key": SECRET_KEY} | options
        config = Config(retries={"max_attempts": 0}, signature_version=signature_version)
        return boto3.client("s3", endpoint_url=self.endpoint, region_name="local", config=config, **keys)


@pytest.fixture(scope="session")
def storage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Storage]:
    storage = Storage(Store(tmp_path_factory.mktemp("objects")))
    app = create_app(storage.store, [key_pair()])
    with serving(app) as storage.endpoint, storage.http:
        yield storage


@contextlib.contextmanager
def serving(app: ASGIApp) -> Iterator[str]:
    """The address of an application that is served on a free port."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="critical", lifespan="off", ws="none"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.005)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join()


@pytest.fixture
def bucket(storage: Storage, request: pytest.FixtureRequest) -> str:
    """A fresh bucket; no other test has had one of its name."""
    name = f"bucket-{next(storage.numbers)}"
    storage.store.create_bucket(name)
    return name


@pytest.fixture
def s3(storage: Storage) -> Any:
    if "s3" not in storage.clients:
        storage.clients["s3"] = storage.boto3()
    return storage.clients["s3"]


def error_of(act: Any, **arguments: Any) -> tuple[int, str]:
    """The status and the code that boto3 gets."""
    with pytest.raises(ClientError) as caught:
        act(**arguments)
    response = caught.value.response
    return response["ResponseMetadata"]["HTTPStatusCode"], response["Error"]["Code"]


def sign_headers(
    method: str, path: str, query: str, headers: Mapping[str, str], timestamp: str, credential: str | None = None
) -> dict[str, str]:
    """The headers and their signature, which is right unless another credential is given."""
    scope = f"{timestamp[:8]}/local/s3/aws4_request"
    headers = {**headers, "x-amz-date": timestamp}
    request = Request(method, path, query, list(headers.items()))
    canonical = sigv4.canonical_request(request, list(headers), headers["x-amz-content-sha256"])
    signature = sigv4.sign(SECRET_KEY, timestamp, scope, canonical)
    given = f"{ACCESS_KEY}/{scope}" if credential is None else credential
    proof = f"Credential={given}, SignedHeaders={';'.join(headers)}, Signature={signature}"
    return headers | {"authorization": f"{sigv4.ALGORITHM} {proof}"}


def signed(
    storage: Storage, method: str, path: str, query: str, payload: str, more: dict[str, str] | None = None
) -> dict[str, str]:
    """Headers of a request that was signed by hand."""
    headers = {"host": urlsplit(storage.endpoint).netloc, "x-amz-content-sha256": payload, **(more or {})}
    return sign_headers(method, path, query, headers, time.strftime("%Y%m%dT%H%M%SZ", time.gmtime()))


def send(
    storage: Storage,
    method: str,
    path: str,
    query: str = "",
    *,
    content: bytes = b"",
    payload: str = sigv4.UNSIGNED,
    more: dict[str, str] | None = None,
) -> tuple[int, str]:
    """The status and the text of the response to a request that was signed by hand, its headers as Latin-1."""
    headers = [
        (name.encode(), value.encode("latin-1"))
        for name, value in signed(storage, method, path, query, payload, more).items()
    ]
    response = storage.http.request(method, f"{storage.endpoint}{path}?{query}", content=content, headers=headers)
    return response.status_code, response.text

"""Options of single calls."""

import gzip
import socketserver
import threading
from typing import Any

import httpx
import pytest
from tests.overlays.conftest import PROJECT, Service, Twin

from modelarts_api.v2.api.flavors import show_training_job_flavors
from modelarts_toolkit import ModelArts
from modelarts_toolkit.errors import (
    ApiError,
    BadRequest,
    ConnectionFailed,
    ServiceFailure,
    ToolkitError,
    TooManyRequests,
)
from modelarts_toolkit.settings.config import Settings

JOB = "425b7087-83de-49ab-b8c0-4ac3d7bb76a0"


def test_options_of_a_block_hold_for_its_calls_and_tell_their_request_id(service: Service, settings: Settings) -> None:
    """The call after the block has the client's own timeout again."""
    service.responses = lambda _: httpx.Response(200, json={}, headers={"X-Request-Id": "id-1"})

    async def work(ma: Any) -> Any:
        with ma.options(timeout=5, headers={"X-Language": "en-us"}) as call:
            await ma.v2.training_jobs.show_training_job_details(JOB)
        await ma.v2.training_jobs.show_training_job_details(JOB)
        return call

    twin = Twin("async")
    call = twin.do(work, **settings, transport=twin.transport(service))

    first, second = (request for request in service.requests if request.url.path.endswith(JOB))
    assert first.extensions["timeout"] == dict.fromkeys(("connect", "read", "write", "pool"), 5)
    assert (first.headers["X-Language"], "X-Language" in second.headers) == ("en-us", False)
    assert second.extensions["timeout"]["read"] == 30
    assert (call.status, call.request_id, call.response_headers["x-request-id"]) == (200, "id-1", "id-1")


@pytest.mark.parametrize("project_id", [PROJECT, None])
def test_headers_go_to_the_training_service_only(
    twin: Twin, service: Service, settings: Settings, project_id: str | None
) -> None:
    """Not to the login, the lookup of the project, or the host of a presigned link."""
    settings["project_id"] = project_id
    link = {"obs_url": "https://store.example.com/log?signature=1", "content": ""}
    service.responses = lambda request: httpx.Response(
        200, json={"projects": [{"id": PROJECT, "name": "region"}]} if "projects" in request.url.path else link
    )

    async def work(ma: Any) -> None:
        with ma.options(headers={"X-Secret": "s"}):
            await ma.v2.training_jobs.show_training_job_details(JOB)
            await ma._network.fetch_async("https://store.example.com/log?signature=1", {})
            await ma.iam.projects.list_projects()

    def work_sync(ma: Any) -> None:
        with ma.options(headers={"X-Secret": "s"}):
            ma.v2.training_jobs.show_training_job_details(JOB)
            ma._network.fetch("https://store.example.com/log?signature=1", {})
            ma.iam.projects.list_projects()

    twin.do(work if twin.is_async else work_sync, **settings, transport=twin.transport(service))

    assert {request.url.host for request in service.requests} == {
        "iam.example.com",
        "modelarts.example.com",
        "store.example.com",
    }
    with_header = [request.url.path for request in service.requests if "X-Secret" in request.headers]
    assert with_header == [f"/v2/{PROJECT}/training-jobs/{JOB}"]


def response(status: bytes = b"200 OK", body: bytes = b"{}", *headers: bytes) -> bytes:
    lines = [b"HTTP/1.1 " + status, b"Content-Length: %d" % len(body), b"Connection: close", *headers]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


@pytest.mark.parametrize(
    ("sent", "error"),
    [
        (response(b"299 Odd"), None),
        (response(b"999 Odd"), ApiError),
        (response(b"599 Odd"), ServiceFailure),
        (response(b"301 Moved", b"", b"Location: http://127.0.0.1:1/"), ApiError),
        (response(b"304 Not Modified", b""), ApiError),
        (response(b"200 OK", b"{}", b"Content-Encoding: gzip"), ConnectionFailed),
        (response(b"200 OK", gzip.compress(b"{}" * 99)[:30], b"Content-Encoding: gzip"), ApiError),
        (response(b"200 OK", b"\x8b\x00{}", b"Content-Encoding: br"), ApiError),
        (response(b"200 OK", b"\x8b\x00{}", b"Content-Encoding: unheard-of"), ApiError),
        (response(b"200 OK", b"{}", b"Content-Type: application/json; charset=unheard-of"), None),
        (response(b"200 OK", b'{"a": "\xff"}'), ApiError),
        (response(b"200 OK", b"[" * 100_000), ApiError),
        (response(b"200 OK", b"9" * 5000), ApiError),
        (response(b"429 Too Many", b"{}", b"Date: soon", b"Retry-After: -5"), TooManyRequests),
        (response(b"400 Bad", b'{"error_code": ["a"], "error_msg": "\\ud800"}'), BadRequest),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}", ConnectionFailed),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", ConnectionFailed),
        (b"no HTTP\r\n\r\n", ConnectionFailed),
        (b"", ConnectionFailed),
    ],
)
def test_whatever_a_server_sends_ends_in_the_tree_of_errors(
    twin: Twin, sent: bytes, error: type[ToolkitError] | None
) -> None:
    class Odd(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(65536)
            self.request.sendall(sent)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Odd) as server:
        threading.Thread(target=server.serve_forever, args=[0.01]).start()
        settings = Settings(
            endpoint=f"http://127.0.0.1:{server.server_address[1]}", token="t", project_id=PROJECT, retries=0
        )

        def detailed(ma: Any) -> Any:
            call = (
                show_training_job_flavors.asyncio_detailed if twin.is_async else show_training_job_flavors.sync_detailed
            )
            return call(PROJECT, client=ma._training)

        try:
            if error is None:
                assert twin.do(detailed, **settings).status_code in (200, 299)
            else:
                with pytest.raises(error) as caught:
                    twin.do(detailed, **settings)
                assert type(caught.value) is error
        finally:
            server.shutdown()


def test_a_timeout_is_a_number(settings: Settings) -> None:
    with ModelArts(**settings) as ma, pytest.raises(TypeError, match="must be a number of seconds or None, not str"):
        ma.options(timeout="1").__enter__()  # type: ignore[arg-type]

"""The way in and out of every operation: tokens, projects, paths, methods, bodies."""

from __future__ import annotations

import errno
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import Engine, event
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from modelarts_emulator.server import Emulator


def rejected(response: Any) -> tuple[int, str]:
    body = response.json()
    assert set(body) == {"error_msg", "error_code", "error_solution"}
    return response.status_code, body["error_code"]


def test_a_project_that_is_not_the_tokens_is_not_found(api: Any) -> None:
    assert rejected(api.http.get("/v2/another/training-job-flavors")) == (404, "ModelArts.2786")


def test_an_unknown_path_gets_the_response_of_the_gateway(api: Any) -> None:
    for path in ("/nowhere", "/v2", f"{api.project}/", f"{api.project}/training-jobs/", "/v3/nowhere"):
        assert rejected(api.http.get(path)) == (404, "APIG.0101")


def test_a_body_that_is_too_large_is_rejected_before_it_is_read_to_its_end(api: Any) -> None:
    def endless() -> Any:
        while True:
            yield b" " * 65536

    response = api.call("POST", "/training-jobs", content=endless())

    assert rejected(response) == (413, "APIG.0201")


def test_the_path_of_the_use_case_leads_to_the_engines_too(api: Any) -> None:
    assert api.call("GET", "/job/training-job-engines").json() == api.call("GET", "/training-job-engines").json()


def test_every_response_has_a_request_id_of_its_own(api: Any) -> None:
    responses = [api.http.get("/v3"), api.http.get("/nowhere"), api.call("GET", "/training-jobs/x")]

    assert len({response.headers["X-Request-Id"] for response in responses}) == 3


def test_responses_on_one_connection_do_not_wait_for_acknowledgements(
    api: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A socket that asyncio does not know as TCP keeps Nagle's algorithm, which delays each response by 40 ms."""
    delays = []
    made = HttpToolsProtocol.connection_made

    def connection_made(self: Any, transport: Any) -> None:
        made(self, transport)
        opened = transport.get_extra_info("socket")
        delays.append(opened.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    monkeypatch.setattr(HttpToolsProtocol, "connection_made", connection_made)
    for url in (api.emulator.endpoint, api.emulator.obs_endpoint):
        httpx.get(url)

    assert len(delays) == 2
    assert all(delays)


@pytest.fixture
def small_databases() -> Iterator[None]:
    """Every SQLite database has room for 400 more kilobytes at most, as on a disk that is nearly full."""

    def limit(connection: Any, _record: Any) -> None:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages + 100}")

    event.listen(Engine, "connect", limit)
    yield
    event.remove(Engine, "connect", limit)


@pytest.mark.usefixtures("small_databases")
def test_a_full_disk_is_reported_and_loses_nothing(
    tmp_path: Path, log_in: Any, new_puppet: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """The error says what is wrong and what to do, without a traceback; what was created before is still there."""
    with Emulator(tmp_path / "data", executor=new_puppet(tmp_path), check_responses=True) as emulator:
        api = log_in(emulator)
        ids, response = [], None
        for _ in range(400):
            body = api.algorithm_body()
            body["metadata"]["description"] = "x" * 250
            response = api.call("POST", "/algorithms", json=body)
            if response.status_code != 201:
                break
            ids.append(response.json()["metadata"]["id"])
        assert response is not None
        assert rejected(response) == (500, "ModelArts.2950")
        assert "disk" in response.json()["error_msg"]
        assert response.json()["error_solution"] == "Free some space on it and repeat the request."
        assert ids
        assert all(api.call("GET", f"/algorithms/{each}").status_code == 200 for each in ids)

    assert not [record for record in caplog.records if record.exc_info]


def test_a_limit_of_the_system_is_named_and_the_request_can_be_repeated(
    api: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Such as the number of open files."""

    def fail(_name: str) -> None:
        raise OSError(errno.EMFILE, "Too many open files", "/a/path")

    with monkeypatch.context() as patch:
        patch.setattr(api.emulator.objects._store, "head_bucket", fail)
        response = api.call("POST", "/training-jobs", json=api.job_body())

    assert rejected(response) == (503, "ModelArts.2950")
    assert response.json()["error_msg"] == "The emulator has reached a limit of the system: Too many open files."
    assert "ulimit -n" in response.json()["error_solution"]
    assert not [record for record in caplog.records if record.exc_info]


def test_an_operation_that_is_not_emulated_is_rejected_with_501(api: Any) -> None:
    """Without a token it is 401, and a malformed request is 400, as for any operation."""
    path = "/gallery-algorithm-publication"

    response = api.call("POST", path, json={"content_id": "1"})

    assert rejected(response) == (501, "ModelArts.2858")
    assert response.json()["error_msg"] == (
        "The emulator does not have the operation createAlgorithmVersionToGallery:"
        " AI Gallery is another service, in which an emulator cannot publish."
    )
    assert response.json()["error_solution"].startswith("Send the request to the service")
    assert rejected(api.call("POST", path, json={"content": "1"})) == (400, "ModelArts.2788")
    assert rejected(api.call("POST", path, json={}, headers={"X-Auth-Token": ""})) == (401, "ModelArts.0201")
